internal import Basics

/// A program: its root command with all subcommands.
///
/// Every command has `--help` and `-h`, and `--version` when the program has a version. A program with several commands
/// also has `help` and `completion`.
public struct Program: Sendable {
    /// The root command; if it has subcommands, `help` and `completion` are among them.
    public let root: Command
    /// The text that `--version` prints; nil for a program without that option.
    public let version: String?

    /// Makes a program of one command, or of several.
    ///
    /// - Parameters:
    ///   - root: The root command, named as the program.
    ///   - version: The text that `--version` prints; nil for a program without that option.
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

    /// The command `completion SHELL`, which prints a shell's completion script.
    fileprivate static func completion(of root: Command) -> Command {
        Command(
            "completion", "Prints a script with which a shell completes commands and options.",
            "To load it:\n\n" + Shell.allCases.map { "  \($0.loading(root.name))" }.joined(separator: "\n"),
            [shell.declaration], [], [], .completion)
    }

    /// The command `help COMMAND`, equivalent to `COMMAND --help`.
    fileprivate static func help(of root: Command) -> Command {
        Command("help", "Prints the help of a command.", "", [helpTopic.declaration], [], [], .help)
    }
}
