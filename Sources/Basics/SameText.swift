extension StringProtocol {
    /// Whether two texts are the same bytes.
    ///
    /// For names that decide who someone is or what they may do. `==` also equates different spellings and characters: for
    /// it the Kelvin sign and the letter K are one subject.
    public func isSameText(as other: some StringProtocol) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}
