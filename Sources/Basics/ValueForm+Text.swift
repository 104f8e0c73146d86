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
        ValueForm(expected: "1 to 32 letters, digits, '_' or '-'") { isName($0) ? $0 : nil }
    }

    /// Whether a text has 1 to 32 letters, digits, `_` and `-`, all of them ASCII.
    ///
    /// - Parameter text: Any text.
    /// - Returns: Whether it is a name.
    public static func isName(_ text: String) -> Bool {
        1...32 ~= text.utf8.count
            && text.utf8.allSatisfy {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }
}
