extension StringProtocol {
    /// Whether two texts are the same bytes.
    ///
    /// For names that decide who someone is or what they may do. `==` also equates different spellings and characters: for
    /// it the Kelvin sign and the letter K are one subject.
    public func isSameText(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension String {
    /// Whether two texts are the same bytes, see the general form: this one is not generic, and most texts that differ have
    /// different lengths.
    public func isSameText(as other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
