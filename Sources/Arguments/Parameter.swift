public import Basics

/// Something that a command takes, with the type of its value.
///
/// A constant of this type is passed to the command that takes it and, by that command's action, to `Given` for the value.
public struct Parameter<Value>: Sendable {
    /// The parameter without its type.
    public let declaration: Declaration
    /// The value of the words that were given; the parser has checked each of them.
    let value: @Sendable ([String]) -> Value

    private init(
        _ kind: Declaration.Kind, _ name: String, short: Character?, _ valueName: String, _ help: String,
        form: ValueForm<some Any>?, completion: Declaration.Completion = .nothing, defaultText: String? = nil,
        isRequired: Bool = false, isRepeatable: Bool = false, value: @escaping @Sendable ([String]) -> Value
    ) {
        declaration = Declaration(
            kind: kind, name: name, short: short, valueName: valueName, help: help, expected: form?.expected ?? "",
            words: form?.words ?? [], defaultText: defaultText, isRequired: isRequired, isRepeatable: isRepeatable,
            completion: completion, accepts: { form == nil || form?.parse($0) != nil })
        self.value = value
    }

    /// The value of a word that the parser has let pass.
    private static func checked<Element>(_ form: ValueForm<Element>, _ word: String?) -> Element {
        guard let value = word.flatMap({ form.parse($0) }) else {
            preconditionFailure("a value that was not checked, or a default that its own form does not take")
        }
        return value
    }
}

// MARK: Options

extension Parameter {
    /// An option that must be given, once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: How its value is read.
    ///   - valueName: What stands for the value in usage lines, in capitals.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func required(
        _ name: String, short: Character? = nil, _ form: ValueForm<Value>, _ valueName: String,
        completion: Declaration.Completion = .nothing, help: String
    ) -> Self {
        Parameter(
            .option, name, short: short, valueName, help, form: form, completion: completion, isRequired: true,
            value: { checked(form, $0.last) })
    }

    /// An option with a default, given at most once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: How its value is read.
    ///   - valueName: What stands for the value in usage lines, in capitals.
    ///   - defaultText: The default as somebody would write it; a text that the form does not take ends the program.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func option(
        _ name: String, short: Character? = nil, _ form: ValueForm<Value>, _ valueName: String,
        default defaultText: String, completion: Declaration.Completion = .nothing, help: String
    ) -> Self {
        _ = checked(form, defaultText)
        return Parameter(
            .option, name, short: short, valueName, help, form: form, completion: completion, defaultText: defaultText,
            value: { checked(form, $0.last ?? defaultText) })
    }

    /// An option that may be missing, given at most once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: How its value is read.
    ///   - valueName: What stands for the value in usage lines, in capitals.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func option<Wrapped>(
        _ name: String, short: Character? = nil, _ form: ValueForm<Wrapped>, _ valueName: String,
        completion: Declaration.Completion = .nothing, help: String
    ) -> Self where Value == Wrapped? {
        Parameter(
            .option, name, short: short, valueName, help, form: form, completion: completion,
            value: { words in words.last.map { checked(form, $0) } })
    }

    /// An option that may be given any number of times.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: How each value is read.
    ///   - valueName: What stands for a value in usage lines, in capitals.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - isRequired: Whether it must be given once at least.
    ///   - help: One or more sentences.
    /// - Returns: The parameter; its value has the order of the command line.
    public static func list<Element>(
        _ name: String, short: Character? = nil, _ form: ValueForm<Element>, _ valueName: String,
        completion: Declaration.Completion = .nothing, isRequired: Bool = false, help: String
    ) -> Self where Value == [Element] {
        Parameter(
            .option, name, short: short, valueName, help, form: form, completion: completion, isRequired: isRequired,
            isRepeatable: true, value: { words in words.map { checked(form, $0) } })
    }

    /// An option without a value, true when it is given; giving it twice changes nothing.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func flag(_ name: String, short: Character? = nil, help: String) -> Self where Value == Bool {
        Parameter(
            .flag, name, short: short, "", help, form: ValueForm<Bool>?.none, value: { words in !words.isEmpty })
    }
}

// MARK: Operands

extension Parameter {
    /// A word without a name that must be given.
    ///
    /// - Parameters:
    ///   - valueName: What stands for it in usage lines, in capitals.
    ///   - form: How it is read.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func operand(
        _ valueName: String, _ form: ValueForm<Value>, completion: Declaration.Completion = .nothing, help: String
    ) -> Self {
        Parameter(
            .operand, valueName.lowercased(), short: nil, valueName, help, form: form, completion: completion,
            isRequired: true, value: { checked(form, $0.last) })
    }

    /// All further words without a name; there may be none.
    ///
    /// - Parameters:
    ///   - valueName: What stands for one in usage lines, in capitals.
    ///   - form: How each is read.
    ///   - completion: What a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter; its value has the order of the command line.
    public static func operands<Element>(
        _ valueName: String, _ form: ValueForm<Element>, completion: Declaration.Completion = .nothing, help: String
    ) -> Self where Value == [Element] {
        Parameter(
            .operand, valueName.lowercased(), short: nil, valueName, help, form: form, completion: completion,
            isRepeatable: true, value: { words in words.map { checked(form, $0) } })
    }
}
