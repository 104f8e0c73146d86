internal import Basics

/// A shell that completes commands and options.
enum Shell: String, Sendable, CaseIterable {
    case bash
    case zsh
    case fish

    /// What a user types to load the script.
    func loading(_ program: String) -> String {
        switch self {
        case .bash, .zsh: "source <(\(program) completion \(rawValue))"
        case .fish: "\(program) completion fish | source"
        }
    }

    /// What the shell loads.
    func script(for program: Program) -> String {
        switch self {
        case .bash: BashCompletion(program).script
        case .zsh: ZshCompletion(program).script
        case .fish: FishCompletion(program).script
        }
    }
}

/// What the scripts share.
struct CompletionTree: Sendable {
    let program: Program

    /// The program's command and all below it.
    var paths: [CommandPath] { CommandPath(program.root).all }

    /// A word that a shell takes as the name of a function: `_cloakroom_check`.
    static func function(_ path: CommandPath) -> String {
        "_" + path.text.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? String($0) : "_" }.joined()
    }

    /// What can stand for an operand or a value; `help` takes the names of commands.
    ///
    /// Left out is what would have to be quoted: a shell expands the words that it is given to offer, `$(…)` too.
    func words(of declaration: Declaration, in path: CommandPath) -> [String] {
        if case .help = path.command.work { return program.root.commands.map(\.name) }
        return declaration.words.filter { !$0.isEmpty && $0.utf8.allSatisfy(Self.isPlain) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isWordByte || ".+@%/".utf8.contains(byte)
    }

    /// In single quotes for a POSIX shell.
    static func quoted(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }

    /// A text with a backslash before some characters.
    static func escaped(_ text: String, _ characters: String) -> String {
        text.map { characters.contains($0) ? "\\\($0)" : String($0) }.joined()
    }
}
