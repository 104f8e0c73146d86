internal import Basics

/// A command as a value: its name, what it is for, what it takes and what it does.
///
/// Parser, help, completion and the pages of the documentation read the same value.
public struct Command: Sendable {
    /// What a command does with what was given to it.
    public typealias Action = @Sendable (Given) async throws(CommandError) -> Void

    /// What is done when the command is called.
    enum Work: Sendable {
        case run(Action)
        /// It has commands of its own and does nothing itself.
        case group
        /// It prints the help of another command.
        case help
        /// It prints what a shell loads.
        case completion
    }

    /// The word on the command line.
    public let name: String
    /// What the command does, in one sentence; stands in the list of commands.
    public let summary: String
    /// More sentences in paragraphs that an empty line separates; a line that begins with a space stays as it is.
    public let discussion: String
    /// What it takes, in the order of help.
    public let parameters: [Declaration]
    /// What holds between the parameters.
    public let rules: [Rule]
    /// The commands below it, in the order of help.
    public internal(set) var commands: [Command]
    let work: Work

    /// A command that does something.
    ///
    /// Two parameters of one name are a fault of the program and end it, as is a name with anything but letters and
    /// digits of ASCII, `-`, `_` and `.`.
    ///
    /// - Parameters:
    ///   - name: The word on the command line; of a program's first command the program's name.
    ///   - summary: One sentence.
    ///   - discussion: More sentences, in paragraphs.
    ///   - parameters: What it takes, in the order of help; operands are read in this order.
    ///   - rules: What holds between the parameters.
    ///   - run: What it does.
    public init<each Value>(
        _ name: String, summary: String, discussion: String = "", takes parameters: repeat Parameter<each Value>,
        rules: [Rule] = [], run: @escaping Action
    ) {
        var declarations: [Declaration] = []
        repeat declarations.append((each parameters).declaration)
        self.init(name, summary, discussion, declarations, rules, [], .run(run))
    }

    /// A command that does nothing but hold others; called without one of them it prints its help.
    ///
    /// - Parameters:
    ///   - name: The word on the command line; of a program's first command the program's name.
    ///   - summary: One sentence.
    ///   - discussion: More sentences, in paragraphs.
    ///   - commands: The commands below it, in the order of help.
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

    /// Letters, digits, dots, dashes and underscores: what a shell leaves alone, for completion puts names into scripts.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
    }

    /// The options and flags, without those that every command has.
    public var options: [Declaration] { parameters.filter { $0.kind != .operand } }

    /// The words without a name.
    public var operands: [Declaration] { parameters.filter { $0.kind == .operand } }
}
