/// The expected and the found value of a failed check; neither is a secret or identifies the user.
///
/// Only for an operator's log. Each value fits on a log line: at most 200 characters, control characters escaped.
public struct Mismatch: Sendable, Equatable {
    /// The value that would be accepted.
    public let expected: String
    /// The value that came; `nothing` when none came.
    public let found: String

    /// The most characters that are kept of each value.
    static let longest = 200

    /// Makes a mismatch; shortens and escapes both values.
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
