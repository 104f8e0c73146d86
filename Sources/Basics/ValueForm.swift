/// A form of text that parses to a value, with the message for invalid text.
///
/// Settings files and command lines use the same forms, so a duration is written alike in both.
public struct ValueForm<Value>: Sendable {
    /// The accepted values, as the end of a sentence: `a number from 1 to 64`.
    public let expected: String
    /// All accepted texts, for a form that accepts only some; empty for other forms.
    public let words: [String]
    /// The value of a text, nil when it has none.
    public let parse: @Sendable (String) -> Value?

    /// Makes a custom form.
    ///
    /// - Parameters:
    ///   - expected: The accepted values, as the end of the sentence that begins with "expected".
    ///   - words: All accepted texts, if they can be listed.
    ///   - parse: Returns the value of a text, nil for a text that is not accepted.
    public init(expected: String, words: [String] = [], parse: @escaping @Sendable (String) -> Value?) {
        self.expected = expected
        self.words = words
        self.parse = parse
    }
}

extension ValueForm where Value: Sendable {
    /// One of several words, compared exactly.
    ///
    /// - Parameter choices: The words and what they mean, in the order in which they are listed to people.
    /// - Returns: The form.
    public static func choice(_ choices: KeyValuePairs<String, Value>) -> Self {
        choice(choices.map { (word: $0.key, value: $0.value) })
    }

    /// One of several words, compared exactly.
    ///
    /// - Parameter choices: The words and what they mean, in the order in which they are listed to people.
    /// - Returns: The form.
    public static func choice(_ choices: [(word: String, value: Value)]) -> Self {
        let words = choices.map(\.word)
        let expected =
            words.count == 1 ? words[0] : words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        return ValueForm(expected: expected, words: words) { text in choices.first { $0.word == text }?.value }
    }
}

extension ValueForm where Value: RawRepresentable & CaseIterable & Sendable, Value.RawValue == String {
    /// One of the cases of an enum, by their raw values.
    public static var anyCase: Self { choice(Value.allCases.map { (word: $0.rawValue, value: $0) }) }
}
