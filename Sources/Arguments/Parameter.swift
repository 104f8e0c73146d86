public import Basics

/// A parameter of a command, with the type of its value.
///
/// Pass a constant of this type to the command that declares it; the command's action reads the value from `ArgumentValues` with
/// it.
public struct Parameter<Value>: Sendable {
    /// The declaration, without the value type.
    public let declaration: Declaration
    /// Converts the given words to the value; the parser has already checked each word.
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

    /// The value of a word that the parser has accepted.
    private static func checked<Element>(_ form: ValueForm<Element>, _ word: String?) -> Element {
        guard let value = word.flatMap({ form.parse($0) }) else {
            preconditionFailure("a value that was not checked, or a default that its own form does not take")
        }
        return value
    }
}

// MARK: Options

extension Parameter {
    /// Makes an option that must be given exactly once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: The form that parses the value.
    ///   - valueName: The placeholder of the value in usage lines, in capitals.
    ///   - completion: The values that a shell offers, besides the words of the form.
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

    /// Makes an option with a default, given at most once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: The form that parses the value.
    ///   - valueName: The placeholder of the value in usage lines, in capitals.
    ///   - defaultText: The default as written on a command line; a text that the form rejects traps.
    ///   - completion: The values that a shell offers, besides the words of the form.
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

    /// Makes an optional option, given at most once.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: The form that parses the value.
    ///   - valueName: The placeholder of the value in usage lines, in capitals.
    ///   - completion: The values that a shell offers, besides the words of the form.
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

    /// Makes an option that may be given any number of times.
    ///
    /// - Parameters:
    ///   - name: The long name without dashes.
    ///   - short: The short name without a dash.
    ///   - form: The form that parses each value.
    ///   - valueName: The placeholder of a value in usage lines, in capitals.
    ///   - completion: The values that a shell offers, besides the words of the form.
    ///   - isRequired: True if it must be given at least once.
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

    /// Makes an option without a value, true when it is given; repeating it has no effect.
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
    /// Makes an operand, a word without a name, that must be given.
    ///
    /// - Parameters:
    ///   - valueName: The placeholder of the operand in usage lines, in capitals.
    ///   - form: The form that parses the value.
    ///   - completion: The values that a shell offers, besides the words of the form.
    ///   - help: One or more sentences.
    /// - Returns: The parameter.
    public static func operand(
        _ valueName: String, _ form: ValueForm<Value>, completion: Declaration.Completion = .nothing, help: String
    ) -> Self {
        Parameter(
            .operand, valueName.lowercased(), short: nil, valueName, help, form: form, completion: completion,
            isRequired: true, value: { checked(form, $0.last) })
    }

    /// Makes a parameter of all further operands; there may be none.
    ///
    /// - Parameters:
    ///   - valueName: The placeholder of one operand in usage lines, in capitals.
    ///   - form: The form that parses each value.
    ///   - completion: The values that a shell offers, besides the words of the form.
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
