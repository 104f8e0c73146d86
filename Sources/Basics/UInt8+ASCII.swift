extension UInt8 {
    /// True for `0` to `9`.
    @inlinable package var isDigit: Bool { self &- 0x30 < 10 }
    /// True for an ASCII letter, small or capital.
    @inlinable package var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }
    /// True for an ASCII letter or digit.
    @inlinable package var isLetterOrDigit: Bool { isLetter || isDigit }
    /// True for a hexadecimal digit, its letters small or capital.
    @inlinable package var isHexDigit: Bool { (self | 0x20) &- 0x61 < 6 || isDigit }
    /// True for an ASCII letter or digit, `_` or `-`: no path, header field, shell or base64url reads these otherwise.
    @inlinable package var isWordByte: Bool { isLetterOrDigit || self == 0x5F || self == 0x2D }
}

extension StringProtocol {
    /// True if a text consists of ASCII letters and digits, `_` and `-` alone.
    ///
    /// - Parameter bytes: The allowed number of bytes.
    /// - Returns: True if it is such a text of that length.
    @inlinable package func isWord(_ bytes: ClosedRange<Int>) -> Bool {
        guard bytes ~= utf8.count else { return false }
        // One check of contiguous bytes: iterating a generic text costs as much for each byte as this for all.
        return utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0.isWordByte } }
            ?? utf8.allSatisfy { $0.isWordByte }
    }

    /// 1 to 32 letters, digits, `_` and `-`: the names of clients, storages, keys and the like.
    @inlinable package var isName: Bool { isWord(1...32) }
}
