extension HouseRule {
    static let all: [HouseRule] = [
        .never(
            "try!", " as! ", because: "Nothing is forced: no try! and no as!", folders: ["Sources", "Tests"],
            good: #"let a = "try!" // try! as! b"#),
        .never(
            "nonisolated(unsafe)", because: "No state is shared behind the compiler's back",
            folders: ["Sources", "Tests"], good: "nonisolated let a = 1"),
        .never(
            "[String: Any]", "[String : Any]", "[AnyHashable: Any]", because: "JSON is never a dictionary of Any",
            good: "let a: [String: JSONValue] = [:]"),
        .never(
            "Mutex(", "Mutex<", "NSLock", "DispatchSemaphore",
            because: "The lock is Basics.Locked, which ThreadSanitizer understands", folders: ["Sources", "Tests"],
            good: "let a = Locked(1) // not a Mutex(1)"),
        .never(
            "print(", "debugPrint(", "dump(", because: "Only the executables print; everything else logs",
            exempt: ["CloakroomCommand", "CloakroomDemo"], good: #"logger.info("print(")"#),
        // The exceptions draw a number that tells two processes apart, and the order of nodes; these are no secrets.
        .never(
            "SystemRandomNumberGenerator", ".random(in:", ".randomElement(", ".shuffled(", "arc4random", "UUID(",
            because: "Random values come from Cryptography", exempt: ["StorageSQLite", "StorageRedis"],
            good: "SecureRandom.bytes(16)"),
        // The exceptions serve no request: the clock of deadlines that all loops share, and the server's periodic work.
        .never(
            " Task {", "Task.detached {", "Task.immediate {", "Task.immediateDetached {",
            because: "Work that a request waits for stays on the request's event thread",
            exempt: ["Basics", "Cloakroom"],
            good: "Task(executorPreference: CurrentExecutor.preference) { await work() }"),
        // Whoever waits in the simulated world waits there, in its one thread. The exceptions are what it goes without.
        HouseRule(
            "Tasks wait by the TimeSource that they were given",
            exempt: ["EventLoop", "HTTPServer", "HTTPClient", "StorageSQLite", "CloakroomCommand", "CloakroomDemo"],
            bad: "try await Task.sleep(for: wait)", good: "try await time.sleep(for: wait)"
        ) { file in
            guard file.path != "Sources/Basics/TimeSource.swift" else { return [] }
            let words = ["Task.sleep", "Clock().sleep", "usleep(", "nanosleep(", "asyncAfter("]
            return file.code.withoutStrings.lines(containing: words).map(\.number)
        },
        // The simulated world takes the place of this clock, and of no other.
        .never(
            "SuspendingClock", "DispatchTime", "CLOCK_MONOTONIC",
            because: "Monotonic time is that of ContinuousClock",
            // The one waits on a condition, the other answers slow connections; neither has a part in what is simulated.
            exempt: ["Basics", "HTTPServer"], good: "ContinuousClock.now"),
        // Their default is for programs that keep no secrets; the server seals whatever it keeps.
        HouseRule(
            "The server keeps nothing in a storage without an encryptor",
            exempt: Set(ModuleTable.rows.map(\.name)).subtracting([
                "Sessions", "BFF", "BFFAPI", "Cloakroom", "CloakroomCommand", "CloakroomDemo",
            ]),
            bad: #"let a = MemoryStorage<Int>(account: "a")"#, good: "let a = MemoryStorage<Int>()"
        ) { file in
            let code = file.code.withoutStrings
            let memory = code.lines(containing: ["MemoryStorage"]).filter { $0.text.contains("(account:") }
            return (code.lines(containing: ["NoEncryptor", "FileStorage"]) + memory).map(\.number)
        },
        .never(
            "usleep(", "nanosleep(", "Thread.sleep", ".disabled(", "withKnownIssue", "XCTest",
            because: "No test is switched off or expects to fail", folders: ["Tests"], good: "await gate.pass()"),
        // The exceptions have handlers that hang, raw sockets and servers of others that can only be asked again.
        .never(
            "Task.sleep", because: "No test waits for time to pass", folders: ["Tests"],
            exempt: ["HTTPServerTests", "LiveTests"],
            good: "await gate.pass()"),
        HouseRule(
            "An unchecked Sendable states its invariant",
            bad: "final class A: @unchecked Sendable {}",
            good: "/// Sendable invariant: immutable.\nfinal class A: @unchecked Sendable {}"
        ) { file in
            let claims = file.code.withoutStrings.lines(containing: ["@unchecked Sendable"])
            return file.text.lines(containing: ["Sendable invariant"]).isEmpty ? claims.map(\.number) : []
        },
        HouseRule(
            "What is left to do names an issue",
            folders: ["Sources", "Tests"], exempt: ["ArchitectureTests"],
            bad: "// TODO: later", good: "// TODO: #12 later"
        ) { file in
            file.text.lines(containing: ["TODO", "FIXME", "XXX:"]).filter { !$0.text.contains("#") }.map(\.number)
        },
        // Its essentials alone double the program; all of it adds 34 MB of data on languages besides.
        HouseRule(
            "Programs and libraries do without Foundation", folders: ["Sources", "benchmarks", "examples"],
            bad: "internal import FoundationEssentials", good: "// import Foundation"
        ) { file in file.importLines.filter { $0.text.hasPrefix("Foundation") }.map(\.number) },
        HouseRule(
            "Nothing comes from a Swift package", folders: ["Sources", "Tests", "benchmarks", "examples"],
            bad: "public import Logging", good: #"import Logs; let name = "Logging""#
        ) { file in
            let packages: Set = ["Logging", "HTTPTypes", "HTTPTypesFoundation", "ArgumentParser", "Yams"]
            return file.importLines.filter { packages.contains($0.text) }.map(\.number)
        },
        HouseRule(
            "A log message is a constant; values go into metadata",
            bad: #"logger.info("user \(name)")"#,
            good: #"logger.info("signed in", metadata: ["client": "\(name)"])"#
        ) { file in
            messages(file.code.withoutComments).filter { $0.text.contains(#"\("#) }.map(\.number)
        },
        // To characters a combining mark belongs to what it follows, and the Kelvin sign is a K: `..;` with a mark is no `..;`.
        HouseRule(
            "What judges input compares bytes or scalars, never characters",
            exempt: Set(ModuleTable.rows.map(\.name)).subtracting([
                "HTTPServer", "HTTPCore", "HTTPCodec", "JOSE", "ResourceServer", "BFFAPI",
            ]),
            bad: #"if segment.prefix(while: { $0 != ";" }) == ".." { return nil }"#,
            good: #"if segment.isSameText(as: "..") || bytes.first == UInt8(ascii: ";") { return nil }"#
        ) { file in
            // What a script writes, and strings that look like code.
            let isWritten = file.text.hasPrefix("// swift-format-ignore-file\n// Written by scripts/")
            if isWritten { return [] }
            let code = file.code.withoutComments
            let steps = code.lines(containing: [".index(after:", ".index(before:"]).filter { line in
                line.text.lines(containing: ["utf8.index(", "bytes.index("]).isEmpty
            }
            return (code.lines(containing: charactersCompared) + steps).map(\.number)
        },
        // They link Swift's regular expressions, a megabyte of the server. The simulator is no part of it.
        .never(
            "firstRange(of:", "ranges(of:", "trimmingPrefix(", "firstMatch(of:", "wholeMatch(of:", ".replacing(",
            because: "Texts and bytes are searched by what Basics has", exempt: ["IdentitySimulator"],
            good: "text.firstRange(ofText: other)"),
        // The name of a field of a wire format is enough; it stands as code.
        HouseRule(
            "A documentation comment says something: three words or more, or code",
            bad: "/// This.\ncase a", good: "/// `null`.\ncase a\n/// A longer\n/// one.\nlet b = 1"
        ) { file in briefComments(file.code.comments) },
        // What a script writes is as long as what it writes it from.
        HouseRule(
            "No file is longer than 500 lines", folders: ["Sources", "Tests"],
            bad: String(repeating: "\n", count: 501), good: String(repeating: "\n", count: 500)
        ) { file in
            let isWritten = file.text.hasPrefix("// swift-format-ignore-file\n// Written by scripts/")
            return file.lineCount > 500 && !isWritten ? [501] : []
        },
    ]

    /// How `Character` and the `==` of `String` are written, as far as the words alone tell.
    ///
    /// That is with a literal, or by the functions that compare characters. Texts are compared by `isSameText` and searched by
    /// what `Basics` has.
    private static let charactersCompared = [
        " Character", "(Character", "[Character", "<Character", "Character.", #"== ""#, #"!= ""#, #"" == "#, #"" != "#,
        ".hasPrefix", ".hasSuffix", #".split(separator: ""#, #"ndex(of: ""#, #".contains(""#, #"case ""#,
        "path ==", "path !=", "host ==", "host !=", "text ==", "text !=", "origin ==", "origin !=",
        "segment ==", "segment !=",
    ]

    /// The first lines of documentation comments whose first paragraph has fewer than three words and no code.
    private static func briefComments(_ comments: String) -> [Int] {
        let mark = "///"
        let lines = comments.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.drop { $0 == " " }
        }
        return lines.indices.compactMap { index in
            guard lines[index].hasPrefix(mark), index == 0 || !lines[index - 1].hasPrefix(mark) else { return nil }
            let paragraph = lines[index...].prefix { $0.hasPrefix(mark) && $0 != mark }
            let words = paragraph.flatMap { $0.dropFirst(mark.count).split(separator: " ") }
            return words.count < 3 && !words.contains { $0.contains("`") } ? index + 1 : nil
        }
    }

    /// The literals with which calls of a logger begin, on the line of the call or on the next one.
    private static func messages(_ code: String) -> [TextLine] {
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
        let calls = code.lines(containing: levels.map { "ogger.\($0)(" })
        guard !calls.isEmpty else { return [] }
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        return calls.flatMap { call in
            levels.compactMap { level in
                guard let start = call.text.firstRange(of: "ogger.\(level)(")?.upperBound else { return nil }
                var rest = call.text[start...].drop { $0 == " " }
                if rest.isEmpty, call.number < lines.count { rest = lines[call.number].drop { $0 == " " } }
                guard rest.first == "\"" else { return nil }
                return TextLine(number: call.number, text: String(rest.dropFirst().prefix { $0 != "\"" }))
            }
        }
    }
}
