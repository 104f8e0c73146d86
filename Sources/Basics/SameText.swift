#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension StringProtocol {
    /// True if two texts have the same bytes.
    ///
    /// For names that decide identity or permissions. `==` also equates different spellings and characters: it takes
    /// the Kelvin sign and the letter K for one subject.
    @inlinable public func isSameText(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// True if two texts have the same bytes, see the generic form.
    ///
    /// This one is not generic, and most texts that differ have different lengths.
    public func isSameText(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (text, other) = (self, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in text.isSame(as: other) }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// True if both have the same bytes.
    package func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
