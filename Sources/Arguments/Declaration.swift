/// What help, parser, completion and documentation know of a parameter, whatever the type of its value.
public struct Declaration: Sendable {
    /// The kinds of parameters.
    public enum Kind: Sendable, Equatable {
        /// An option without a value: `--live`.
        case flag
        /// An option with a value: `--config FILE`.
        case option
        /// A word without a name.
        case operand
    }

    /// What a shell offers as the value, besides the words of `words`.
    public enum Completion: Sendable, Equatable {
        /// The value cannot be completed, so the shell offers nothing.
        case nothing
        /// Names of files and folders.
        case files
    }

    /// Whether it is an option with or without a value, or a word.
    public let kind: Kind
    /// The long name without dashes; of an operand the word of its usage line.
    public let name: String
    /// The short name without a dash.
    public let short: Character?
    /// What stands for the value in usage lines: `FILE`; empty for a flag.
    public let valueName: String
    /// One or more sentences.
    public let help: String
    /// What is taken, as the end of a sentence.
    public let expected: String
    /// Every value that is taken, when they can be listed.
    public let words: [String]
    /// The value that is taken when none is given.
    public let defaultText: String?
    /// Whether there is no command without it.
    public let isRequired: Bool
    /// Whether it may be given several times.
    public let isRepeatable: Bool
    /// What a shell offers.
    public let completion: Completion
    let accepts: @Sendable (String) -> Bool

    /// As in a usage line, without brackets: `--config FILE`.
    public var spelling: String {
        switch kind {
        case .flag: "--\(name)"
        case .option: "--\(name) \(valueName)"
        case .operand: valueName
        }
    }

    /// As in messages: `--config`.
    var label: String { kind == .operand ? valueName : "--\(name)" }
}
