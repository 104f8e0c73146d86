/// The declaration of a parameter without its value type, for help, parser, completion and documentation.
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

    /// The values that a shell offers, besides `words`.
    public enum Completion: Sendable, Equatable {
        /// The value cannot be completed, so the shell offers nothing.
        case nothing
        /// The shell offers names of files and folders.
        case files
    }

    /// The kind: an option with or without a value, or an operand.
    public let kind: Kind
    /// The long name without dashes; for an operand, the word in the usage line.
    public let name: String
    /// The short name without a dash.
    public let short: Character?
    /// The placeholder of the value in usage lines, such as `FILE`; empty for a flag.
    public let valueName: String
    /// The help text, one or more sentences.
    public let help: String
    /// The accepted values, as the end of a sentence.
    public let expected: String
    /// All accepted values, if they can be listed.
    public let words: [String]
    /// The default, used when no value is given.
    public let defaultText: String?
    /// True if the parameter must be given.
    public let isRequired: Bool
    /// True if the parameter may be given several times.
    public let isRepeatable: Bool
    /// The values that a shell offers.
    public let completion: Completion
    let accepts: @Sendable (String) -> Bool

    /// The parameter as in a usage line, without brackets: `--config FILE`.
    public var spelling: String {
        switch kind {
        case .flag: "--\(name)"
        case .option: "--\(name) \(valueName)"
        case .operand: valueName
        }
    }

    /// The parameter as in messages: `--config`.
    var label: String { kind == .operand ? valueName : "--\(name)" }
}
