#if canImport(Glibc)
    internal import Glibc
#else
    internal import Musl
#endif

extension StringProtocol {
    /// Whether two texts are the same bytes.
    ///
    /// For names that decide who someone is or what they may do. `==` also equates different spellings and characters: for
    /// it the Kelvin sign and the letter K are one subject.
    @inlinable public func isSameText(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Whether two texts are the same bytes, see the general form: this one is not generic, and most texts that differ have
    /// different lengths.
    public func isSameText(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        var (text, other) = (self, other)
        return text.withUTF8 { text in
            other.withUTF8 { other in text.isSame(as: other) }
        }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether these are the same bytes.
    package func isSame(as other: Self) -> Bool {
        guard count == other.count else { return false }
        guard let start = baseAddress, let otherStart = other.baseAddress else { return true }
        return memcmp(start, otherStart, count) == 0
    }
}
