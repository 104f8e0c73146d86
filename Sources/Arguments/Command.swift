internal import Basics

/// A command as a value: its name, its summary, its parameters and its action.
///
/// Parser, help, completion and the documentation's pages all use this value.
public struct Command: Sendable {
    /// The action of a command, run with the values of its parameters.
    public typealias Action = @Sendable (ArgumentValues) async throws(CommandError) -> Void

    /// The work that a command does when it is called.
    enum Work: Sendable {
        case run(Action)
        /// A group with subcommands, which does nothing itself.
        case group
        /// The command that prints the help of another command.
        case help
        /// The command that prints a shell's completion script.
        case completion
    }

    /// The word on the command line.
    public let name: String
    /// A one-sentence description for the list of commands.
    public let summary: String
    /// Further paragraphs, separated by an empty line; a line that begins with a space is not wrapped.
    public let discussion: String
    /// The parameters of the command, in the order of help.
    public let parameters: [Declaration]
    /// The rules between the parameters.
    public let rules: [Rule]
    /// The subcommands, in the order of help.
    public internal(set) var commands: [Command]
    let work: Work

    /// Makes a command with an action.
    ///
    /// Two parameters of one name are a programming error and trap, as is a name with other characters than ASCII
    /// letters and digits, `-`, `_` and `.`.
    ///
    /// - Parameters:
    ///   - name: The word on the command line; for a program's root command, the program's name.
    ///   - summary: One sentence.
    ///   - discussion: More sentences, in paragraphs.
    ///   - parameters: The parameters, in the order of help; operands are read in this order.
    ///   - rules: The rules between the parameters.
    ///   - run: The action of the command.
    public init<each Value>(
        _ name: String, summary: String, discussion: String = "", takes parameters: repeat Parameter<each Value>,
        rules: [Rule] = [], run: @escaping Action
    ) {
        var declarations: [Declaration] = []
        repeat declarations.append((each parameters).declaration)
        self.init(name, summary, discussion, declarations, rules, [], .run(run))
    }

    /// Makes a group of commands; called without a subcommand it prints its help.
    ///
    /// - Parameters:
    ///   - name: The word on the command line; for a program's root command, the program's name.
    ///   - summary: One sentence.
    ///   - discussion: More sentences, in paragraphs.
    ///   - commands: The subcommands, in the order of help.
    public init(_ name: String, summary: String, discussion: String = "", commands: [Command]) {
        self.init(name, summary, discussion, [], [], commands, .group)
    }

    init(
        _ name: String, _ summary: String, _ discussion: String, _ parameters: [Declaration], _ rules: [Rule],
        _ commands: [Command], _ work: Work
    ) {
        let options = parameters.filter { $0.kind != .operand }
        let names = options.map(\.name) + options.compactMap { $0.short.map { "-\($0)" } }
        precondition(([name] + names).allSatisfy(Self.isName), "\(name) has a name that no shell takes for a word")
        precondition(Set(names).count == names.count, "\(name) has two options of one name")
        precondition(!names.contains("help") && !names.contains("-h"), "\(name) has an own --help")
        precondition(
            parameters.filter { $0.kind == .operand }.dropLast().allSatisfy { !$0.isRepeatable },
            "only the last operand of \(name) can be repeated")
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.parameters = parameters
        self.rules = rules
        self.commands = commands
        self.work = work
    }

    /// True for letters, digits, dots, dashes and underscores, which are safe in a shell: completion puts names into
    /// scripts.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
    }

    /// The options and flags, without the ones that every command has.
    public var options: [Declaration] { parameters.filter { $0.kind != .operand } }

    /// The operands: words without a name.
    public var operands: [Declaration] { parameters.filter { $0.kind == .operand } }
}
