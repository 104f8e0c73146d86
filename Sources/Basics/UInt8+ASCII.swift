extension UInt8 {
    /// `0` to `9`.
    @inlinable package var isDigit: Bool { self &- 0x30 < 10 }
    /// A letter of ASCII, small or capital.
    @inlinable package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    /// A letter or digit of ASCII.
    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }
    /// A digit of a hexadecimal number, its letters small or capital.
    @inlinable package var isHexDigit: Bool { (self | 0x20) &- 0x61 < 6 || isDigit }
    /// A letter or digit of ASCII, `_` or `-`: nothing that a path, a header field, a shell or base64url reads otherwise.
    @inlinable package var isWordByte: Bool { isLetterOrDigit || self == 0x5F || self == 0x2D }
}

extension StringProtocol {
    /// Whether a text has letters and digits of ASCII, `_` and `-`, and nothing else.
    ///
    /// - Parameter bytes: How many there are.
    /// - Returns: Whether it is such a text.
    @inlinable package func isWord(_ bytes: ClosedRange<Int>) -> Bool {
        guard bytes ~= utf8.count else { return false }
        // A walk by an iterator of some text costs as much for each byte as this for all.
        return utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0.isWordByte } }
            ?? utf8.allSatisfy { $0.isWordByte }
    }

    /// 1 to 32 letters, digits, `_` and `-`: the names of clients, storages, keys and the like.
    package var isName: Bool { isWord(1...32) }
}
