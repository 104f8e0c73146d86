internal import Basics

/// A program: its first command with all others below it.
///
/// Every command has `--help` and `-h`, and `--version` when the program has one. A program with several commands has
/// `help` and `completion` as well.
public struct Program: Sendable {
    /// The first command, `help` and `completion` among its commands when it has any.
    public let root: Command
    /// The text that `--version` prints; nil for a program without that option.
    public let version: String?

    /// A program of one command, or of several.
    ///
    /// - Parameters:
    ///   - root: The first command, by the name of the program.
    ///   - version: What `--version` prints; nil for a program without it.
    public init(_ root: Command, version: String? = nil) {
        var root = root
        if !root.commands.isEmpty { root.commands += [.completion(of: root), .help(of: root)] }
        self.root = root
        self.version = version
    }
}

extension Command {
    static let helpTopic = Parameter.operands(
        "COMMAND", ValueForm(expected: "the name of a command") { $0 },
        help: "The command; without one, the program itself.")
    static let shell = Parameter.operand("SHELL", ValueForm<Shell>.anyCase, help: "The shell.")

    /// `completion SHELL`, which prints what the shell loads.
    fileprivate static func completion(of root: Command) -> Command {
        Command(
            "completion", "Prints a script with which a shell completes commands and options.",
            "To load it:\n\n" + Shell.allCases.map { "  \($0.loading(root.name))" }.joined(separator: "\n"),
            [shell.declaration], [], [], .completion)
    }

    /// `help COMMAND`, which is the same as `COMMAND --help`.
    fileprivate static func help(of root: Command) -> Command {
        Command("help", "Prints the help of a command.", "", [helpTopic.declaration], [], [], .help)
    }
}
