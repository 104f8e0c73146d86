/// What a provider's answer should have said and what it said, where neither is a secret nor says who the user is.
///
/// For the log of an operator alone. Both are fit for a line: at most 200 characters, control characters escaped.
public struct Mismatch: Sendable, Equatable {
    /// What would have been taken.
    public let expected: String
    /// What came; `nothing` when nothing did.
    public let found: String

    /// The most characters that are kept of each.
    static let longest = 200

    /// Two values as they are.
    ///
    /// - Parameters:
    ///   - expected: From our settings, or worked out from the clock.
    ///   - found: From the provider; nil when the member is missing or of another type.
    public init(expected: String, found: String?) {
        self.expected = Self.shown(expected)
        self.found = found.map(Self.shown) ?? "nothing"
    }

    private static func shown(_ text: String) -> String {
        var shown = ""
        var count = 0
        for scalar in text.unicodeScalars {
            guard count < longest else { return shown + "…" }
            count += 1
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator:
                shown += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }
}
