import Basics
import Foundation
import Testing

@testable import Arguments

@Suite("Completion")
struct CompletionTests {
    private static func path(of shell: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(shell)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a script by a shell; nil when the machine has none of the name.
    private func run(_ shell: String, _ arguments: [String], _ script: String) async throws -> String? {
        guard let path = Self.path(of: shell) else { return nil }
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let (input, output) = (Pipe(), Pipe())
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, output)
        try process.run()
        input.fileHandleForWriting.write(Data(script.utf8))
        try input.fileHandleForWriting.close()
        let bytes = await Task.detached { output.fileHandleForReading.readDataToEndOfFile() }.value
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        return process.terminationStatus == 0 ? text : "status \(process.terminationStatus): \(text)"
    }

    /// What bash offers for the last of its words.
    private func offered(_ words: [String], before: String = "") async throws -> [String] {
        let script = try #require(Shell(rawValue: "bash")).script(for: Sample.program)
        let line = words.map { "'\($0)'" }.joined(separator: " ")
        let driver = """
            set -eu
            \(before)
            COMP_WORDS=(sample \(line)); COMP_CWORD=\(words.count)
            _sample
            for each in ${COMPREPLY[@]+"${COMPREPLY[@]}"}; do echo "$each"; done
            """
        let text = try await run("bash", ["--norc", "--noprofile"], script + driver)
        return try #require(text).split(separator: "\n").map(String.init)
    }

    @Test(
        "of bash offers what can stand there",
        arguments: [
            ([""], ["check", "serve", "copy", "trust", "refuse", "tell", "nothing", "key", "completion", "help"]),
            (["c"], ["check", "copy", "completion"]), (["--"], ["--help", "--version"]),
            (["check", ""], ["-c", "--config", "--ready", "-l", "--live", "-h", "--help", "--version"]),
            (["check", "--c"], ["--config"]), (["check", "--x"], []), (["check", "x"], []),
            (["serve", "--log-level", ""], ["trace", "debug", "info", "notice", "warning", "error", "critical"]),
            (["serve", "--log-level", "=", "e"], ["error"]), (["serve", "--colour", "="], ["red", "green", "blue"]),
            (["serve", "--colour", "red", "--colou"], ["--colour"]),
            (["serve", "-p", ""], []), (["serve", "--port", "--"], []), (["serve", "--", "-"], []),
            (["check", "--ready", "check", "--l"], ["--live"]),
            (["key", ""], ["new"]), (["key", "new", "--cl"], ["--client"]),
            (["completion", ""], ["bash", "zsh", "fish"]), (["help", "s"], ["serve"]),
            (["help", "--h"], ["--help"]),
            (
                ["nonsense", ""],
                [
                    "check", "serve", "copy", "trust", "refuse", "tell", "nothing", "key", "completion", "help",
                ]
            ),
            (["check", "$(echo --live)"], []), (["check", "`id`"], []),
        ] as [([String], [String])])
    func bash(words: [String], offers: [String]) async throws {
        #expect(try await offered(words) == offers)
    }

    @Test func `of bash offers files, blanks in their names and all`() async throws {
        let folder = "cd \"$(mktemp -d)\"; trap 'rm -r \"$PWD\"' EXIT; touch 'a b.yaml' a.yaml c.yaml"
        for words in [
            ["check", "--config", "a"], ["check", "-c", "a"], ["check", "--config", "=", "a"], ["copy", "a"],
        ] {
            #expect(try await offered(words, before: folder).sorted() == ["a b.yaml", "a.yaml"], "\(words)")
        }
    }

    @Test func `of bash is registered for the program`() async throws {
        let script = await Sample.answer(["completion", "bash"]).output
        #expect(try await run("bash", ["--norc"], script + "complete -p sample") == "complete -F _sample sample\n")
        let single = BashCompletion(Sample.single).script
        #expect(try await run("bash", ["--norc"], single + "complete -p single") == "complete -F _single single\n")
    }

    @Test func `leaves out words that a shell would expand`() async throws {
        let words = ["a-b", "$(echo c)", "`echo d`", "e f", "it's", "$HOME", "g;h", "*", "", "i.j/k"]
        let form = ValueForm<Int>.choice(words.map { (word: $0, value: 1) })
        let program = Program(
            Command(
                "odd", summary: "Odd.", takes: Parameter.option("way", form, "WAY", help: "A way."),
                Parameter.operand("WORD", form, help: "A word.")
            ) { _ throws(CommandError) in })
        for line in ["odd ''", "odd --way ''"] {
            let driver = """
                set -eu
                COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
                _odd
                echo "${COMPREPLY[@]}"
                """
            let said = try await run("bash", ["--norc", "--noprofile"], BashCompletion(program).script + driver)
            #expect(said == "a-b i.j/k\n", "\(line)")
        }
        for shell in Shell.allCases {
            let script = shell.script(for: program)
            #expect(script.contains("a-b") && !script.contains("echo") && !script.contains("HOME"), "\(shell)")
        }
    }

    @Test func `puts no name into a script that a shell would not take for a word`() async {
        _ = Command("it.s_a-name1", summary: "") { _ throws(CommandError) in }
        await #expect(processExitsWith: .failure) { _ = Command("a$(id)", summary: "") { _ throws(CommandError) in } }
        await #expect(processExitsWith: .failure) {
            _ = Command("a", summary: "", takes: Parameter.flag("b;c", help: "")) { _ throws(CommandError) in }
        }
        await #expect(processExitsWith: .failure) {
            let flag = Parameter.flag("b", short: "'", help: "")
            _ = Command("a", summary: "", takes: flag) { _ throws(CommandError) in }
        }
    }

    @Test("is a script that its shell can read", arguments: Shell.allCases)
    func syntax(shell: Shell) async throws {
        for program in [Sample.program, Sample.single, Self.quoted] {
            let script = shell.script(for: program)
            // Where the shell is missing nothing is checked; bash is everywhere.
            guard let said = try await run(shell.rawValue, ["-n"], script) else { #expect(shell != .bash); continue }
            #expect(said == "")
        }
    }

    /// A program whose texts have every character that a shell could take for its own.
    private static let quoted = Program(
        Command(
            "quo-ted", summary: "It's.",
            commands: [
                Command(
                    "do", summary: "It's `id` $(id) $HOME \"a\" [b]: \\c; #d",
                    takes: Parameter.flag("a", help: "It's `id` $(id) $HOME \"a\" [b]: \\c; #d"),
                    Parameter.list("b", short: "b", .path, "B", help: "It's :]'")
                ) { _ throws(CommandError) in }
            ]))

    @Test(.enabled(if: path(of: "fish") != nil, "there is no fish"))
    func `of fish offers commands, options and values`() async throws {
        let script = FishCompletion(Sample.program).script
        let questions = [
            "sample co", "sample check --c", "sample serve --colour ", "sample completion ", "sample key ",
        ]
        let lines = questions.map { "complete -C'\($0)'" }.joined(separator: "\n")
        let text = try #require(try await run("fish", ["--no-config"], script + lines))
        #expect(
            text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) } == [
                "completion", "copy", "--config", "blue", "green", "red", "bash", "fish", "zsh", "new",
            ])
    }
}
