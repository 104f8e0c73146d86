extension ValueForm where Value == String {
    /// A text without control characters.
    ///
    /// - Parameters:
    ///   - expected: What is taken, as the end of a sentence.
    ///   - bytes: How many bytes it has in UTF-8.
    /// - Returns: The form.
    public static func text(_ expected: String, bytes: ClosedRange<Int> = 1...1024) -> Self {
        ValueForm(expected: expected) { text in
            bytes ~= text.utf8.count && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
                ? text : nil
        }
    }

    /// 1 to 32 letters, digits, `_` and `-`.
    public static var name: Self {
        ValueForm(expected: "1 to 32 letters, digits, '_' or '-'") { $0.isName ? $0 : nil }
    }
}
