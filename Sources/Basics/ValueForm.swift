/// How a text becomes a value, and what is said when it cannot.
///
/// Settings files and command lines read their values by the same forms, so a duration is written alike in both.
public struct ValueForm<Value>: Sendable {
    /// What is taken, as the end of a sentence: `a number from 1 to 64`.
    public let expected: String
    /// Every text that is taken, for a form that takes only some; empty for the others.
    public let words: [String]
    /// The value of a text, nil when it has none.
    public let parse: @Sendable (String) -> Value?

    /// A form of one's own.
    ///
    /// - Parameters:
    ///   - expected: What is taken, as the end of the sentence that begins with "expected".
    ///   - words: Every text that is taken, when they can be listed.
    ///   - parse: The value of a text, nil for one that is not taken.
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
