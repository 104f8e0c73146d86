internal import Glibc

extension Program {
    /// Parses the arguments of the process, runs the command, and ends the process.
    ///
    /// Status 0 means success or help, 64 wrong use, 1 failure. Output of a command through the C library is flushed;
    /// output that cannot be written is a failure.
    ///
    /// - Returns: Never.
    public func main() async -> Never {
        let answer = await answer(to: Self.arguments(), width: TerminalWidth.current())
        var status = answer.status
        if !answer.errors.isEmpty { _ = Self.write(answer.errors, to: STDERR_FILENO) }
        if !answer.output.isEmpty, !Self.write(answer.output, to: STDOUT_FILENO) { status = ExitStatus.failure }
        if fflush(nil) != 0, status == ExitStatus.success { status = ExitStatus.failure }
        exit(status)
    }

    /// The output and the exit status.
    struct Answer: Sendable, Equatable {
        var status = ExitStatus.success
        var output = ""
        var errors = ""
    }

    /// Runs the command that the words after the program's name select.
    func answer(to words: [Word], width: Int) async -> Answer {
        switch Parser(self).request(words) {
        case .help(let path): return Answer(output: HelpText(self, path).text(width: width))
        case .version(let text): return Answer(output: text + "\n")
        case .completion(let shell): return Answer(output: shell.script(for: self))
        case .wrongUse(let sentence, let path): return refusal(sentence, path, width: width)
        case .run(let action, let given, let path):
            do throws(CommandError) {
                try await action(given)
            } catch {
                switch error {
                case .wrongUse(let sentence): return refusal(sentence, path, width: width)
                case .failed(let sentence):
                    return Answer(status: ExitStatus.failure, errors: "Error: \(sentence)\n")
                case .reported: return Answer(status: ExitStatus.failure)
                }
            }
            return Answer()
        }
    }

    private func refusal(_ sentence: String, _ path: CommandPath, width: Int) -> Answer {
        let usage = UsageLine(path).text(after: "Usage: ", width: width)
        let help = "See '\(path.text) --help'."
        return Answer(status: ExitStatus.wrongUse, errors: "Error: \(sentence)\n\(usage)\n\(help)\n")
    }

    /// The arguments of the process without the program's name.
    ///
    /// `CommandLine.arguments` replaces bytes that are not UTF-8, so a path could name another file.
    private static func arguments() -> [Word] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { index in
            CommandLine.unsafeArgv[index].map { Word(cString: $0) }
        }
    }

    private static func write(_ text: String, to descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
