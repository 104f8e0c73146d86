extension StringProtocol {
    /// Where a text first stands in this one, byte for byte.
    ///
    /// The standard library's `firstRange(of:)` and `contains(_:)` for texts bring its engine for regular expressions into
    /// the program: over a megabyte.
    public func firstRange(ofText text: String) -> Range<Index>? {
        var start = utf8.startIndex
        while start < utf8.endIndex {
            if utf8[start...].starts(with: text.utf8) { return start..<utf8.index(start, offsetBy: text.utf8.count) }
            utf8.formIndex(after: &start)
        }
        return nil
    }
}

/// What checks of text that others wrote are made with. The standard library's functions of these names compare characters:
/// to them `;` and a combining mark behind it are one, which is no semicolon.
extension StringProtocol {
    /// Whether the bytes of this text begin with those of another.
    public func starts(withText text: some StringProtocol) -> Bool { utf8.starts(with: text.utf8) }

    /// Whether the bytes of this text end with those of another.
    public func ends(withText text: some StringProtocol) -> Bool {
        utf8.count >= text.utf8.count && utf8.dropFirst(utf8.count - text.utf8.count).elementsEqual(text.utf8)
    }

    /// The parts between the places of an ASCII character, found byte by byte.
    ///
    /// - Parameters:
    ///   - separator: The character; ASCII.
    ///   - maxSplits: How often the text is cut at most.
    ///   - omittingEmptySubsequences: Whether empty parts are left out.
    /// - Returns: The parts, in order.
    public func split(
        byte separator: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
    ) -> [SubSequence] {
        utf8.split(
            separator: UInt8(ascii: separator), maxSplits: maxSplits,
            omittingEmptySubsequences: omittingEmptySubsequences
        ).map { self[$0.startIndex..<$0.endIndex] }
    }
}
