internal import Basics

/// A shell that completes commands and options.
enum Shell: String, Sendable, CaseIterable {
    case bash
    case zsh
    case fish

    /// The command that a user types to load the script.
    func loading(_ program: String) -> String {
        switch self {
        case .bash, .zsh: "source <(\(program) completion \(rawValue))"
        case .fish: "\(program) completion fish | source"
        }
    }

    /// The completion script for the shell.
    func script(for program: Program) -> String {
        switch self {
        case .bash: BashCompletion(program).script
        case .zsh: ZshCompletion(program).script
        case .fish: FishCompletion(program).script
        }
    }
}

/// The data that the scripts of all shells share.
struct CompletionTree: Sendable {
    let program: Program

    /// The paths of the program's root command and all its subcommands.
    var paths: [CommandPath] { CommandPath(program.root).all }

    /// A shell function name for a command: `_cloakroom_check`.
    static func function(_ path: CommandPath) -> String {
        "_" + path.text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
    }

    /// The possible words for an operand or a value; for `help`, the names of commands.
    ///
    /// Words that would need quoting are left out: a shell expands the words it offers, including `$(…)`.
    func words(of declaration: Declaration, in path: CommandPath) -> [String] {
        if case .help = path.command.work { return program.root.commands.map(\.name) }
        return declaration.words.filter { !$0.isEmpty && $0.utf8.allSatisfy(Self.isPlain) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isWordByte || ".+@%/".utf8.contains(byte)
    }

    /// The text in single quotes for a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// The text with a backslash before each of the given characters.
    static func escaped(_ text: String, _ characters: String) -> String {
        text.map { characters.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
