import Foundation
import JSON

/// Runs the built executable.
enum Command {
    struct Outcome: Sendable {
        let status: Int32
        let output: String
        let errors: String
    }

    /// Beside the test bundle, in the folder of the build.
    private static var executable: URL {
        var folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        if !FileManager.default.fileExists(atPath: folder.appending(path: "cloakroom").path) {
            folder = Bundle.main.bundleURL
        }
        return folder.appending(path: "cloakroom")
    }

    /// Runs it to its end.
    static func run(_ arguments: String..., environment: [String: String] = [:]) async throws -> Outcome {
        try await run(arguments, environment: environment)
    }

    /// Runs it to its end.
    static func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> Outcome {
        let running = try start(arguments, environment: environment)
        async let output = running.rest(of: running.output)
        async let errors = running.rest(of: running.errors)
        return Outcome(status: await running.status(), output: await output, errors: await errors)
    }

    /// Starts it, with so many files that it may open at first (the soft limit), and that it may raise this to (the hard one).
    static func start(
        _ arguments: [String], environment: [String: String], files: (soft: Int, hard: Int)? = nil
    ) throws -> RunningCommand {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        if let files {
            process.executableURL = URL(filePath: "/bin/sh")
            let limits = "ulimit -Sn \(files.soft) && ulimit -Hn \(files.hard) && exec \"$0\" \"$@\""
            process.arguments = ["-c", limits, executable.path] + arguments
        }
        process.environment = environment
        return try RunningCommand(process)
    }
}

/// An executable that runs.
final class RunningCommand: Sendable {
    let output: FileHandle
    let errors: FileHandle
    private let process: Process
    private let ended: AsyncStream<Int32>

    init(_ process: Process) throws {
        let (output, errors) = (Pipe(), Pipe())
        let (ended, continuation) = AsyncStream.makeStream(of: Int32.self)
        process.standardOutput = output
        process.standardError = errors
        process.terminationHandler = { process in
            continuation.yield(process.terminationStatus)
            continuation.finish()
        }
        try process.run()
        self.process = process
        self.ended = ended
        self.output = output.fileHandleForReading
        self.errors = errors.fileHandleForReading
    }

    deinit {
        if process.isRunning { signal(SIGKILL) }
    }

    /// Its limits, a line each with the soft and the hard one.
    func limits() throws -> String {
        try String(contentsOfFile: "/proc/\(process.processIdentifier)/limits", encoding: .utf8)
    }

    /// The mappings of its memory in which texts stand, once for each place; texts that stand nowhere are left out.
    ///
    /// A stack of a thread is a mapping behind a page that may not be touched; so are heaps, whose addresses are multiples of
    /// 64 MiB.
    func places(of texts: [String]) throws -> [String: [String]] {
        let folder = "/proc/\(process.processIdentifier)"
        let memory = try FileHandle(forReadingFrom: URL(filePath: folder + "/mem"))
        defer { try? memory.close() }
        var found: [String: [String]] = [:]
        var guardEnd: UInt64?
        for line in try String(contentsOfFile: folder + "/maps", encoding: .utf8).split(separator: "\n") {
            let columns = line.split(separator: " ")
            let ends = columns[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            let isStack = guardEnd == ends[0] && ends[0] % (64 << 20) != 0
            guardEnd = columns[1].hasPrefix("---") ? ends[1] : nil
            guard columns[1].hasPrefix("rw") else { continue }
            try memory.seek(toOffset: ends[0])
            // A mapping may have gone since it was listed.
            guard let data = try? memory.read(upToCount: Int(ends[1] - ends[0])) else { continue }
            for text in texts {
                var rest = data[...]
                while let range = rest.range(of: Data(text.utf8)) {
                    found[text, default: []].append(
                        isStack ? "stack of a thread" : columns.count > 5 ? String(columns[5]) : "anonymous memory")
                    rest = rest[range.upperBound...]
                }
            }
        }
        return found
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Its exit status; asked once.
    func status() async -> Int32 {
        for await status in ended { return status }
        return -1
    }

    /// Everything that is still to come.
    func rest(of file: FileHandle) async -> String {
        await reading { String(decoding: file.readDataToEndOfFile(), as: UTF8.self) }
    }

    /// The next log line in JSON that is wanted; nil when the process ends before.
    func line(_ wanted: @escaping @Sendable ([String: JSONValue]) -> Bool) async -> [String: JSONValue]? {
        await reading { [errors] in
            var line: [UInt8] = []
            while let byte = try? errors.read(upToCount: 1)?.first {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                defer { line = [] }
                guard let object = (try? JSONValue(parsing: line))?.object else { continue }
                let members = Dictionary(
                    object.names.compactMap { name in object[name].map { (name, $0) } },
                    uniquingKeysWith: { first, _ in first })
                if wanted(members) { return members }
            }
            return nil
        }
    }

    /// Reads what it writes; a test that is cancelled, as at its time limit, ends it, and with it the read that blocks.
    private func reading<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withTaskCancellationHandler {
            await Task.detached { body() }.value
        } onCancel: {
            signal(SIGKILL)
        }
    }
}
