/// What help, parser, completion and documentation know of a parameter, whatever the type of its value.
package struct Declaration: Sendable {
    /// The kinds of parameters.
    package enum Kind: Sendable, Equatable {
        /// An option without a value: `--live`.
        case flag
        /// An option with a value: `--config FILE`.
        case option
        /// A word without a name.
        case operand
    }

    /// What a shell offers as the value, besides the words of `words`.
    package enum Completion: Sendable, Equatable {
        /// The value cannot be completed, so the shell offers nothing.
        case nothing
        /// Names of files and folders.
        case files
    }

    /// Whether it is an option with or without a value, or a word.
    package let kind: Kind
    /// The long name without dashes; of an operand the word of its usage line.
    package let name: String
    /// The short name without a dash.
    package let short: Character?
    /// What stands for the value in usage lines: `FILE`; empty for a flag.
    package let valueName: String
    /// One or more sentences.
    package let help: String
    /// What is taken, as the end of a sentence.
    package let expected: String
    /// Every value that is taken, when they can be listed.
    package let words: [String]
    /// The value that is taken when none is given.
    package let defaultText: String?
    /// Whether there is no command without it.
    package let isRequired: Bool
    /// Whether it may be given several times.
    package let isRepeatable: Bool
    /// What a shell offers.
    package let completion: Completion
    let accepts: @Sendable (String) -> Bool

    /// As in a usage line, without brackets: `--config FILE`.
    package var spelling: String {
        switch kind {
        case .flag: "--\(name)"
        case .option: "--\(name) \(valueName)"
        case .operand: valueName
        }
    }

    /// As in messages: `--config`.
    var label: String { kind == .operand ? valueName : "--\(name)" }
}
