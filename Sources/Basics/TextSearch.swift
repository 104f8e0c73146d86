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
