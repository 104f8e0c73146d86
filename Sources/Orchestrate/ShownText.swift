extension String {
    /// The beginning of a provider's text for people to read: at most `bytes` bytes, cut between characters.
    package func shortened(to bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(startIndex, offsetBy: bytes)
        while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
