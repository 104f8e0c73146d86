package import Basics

/// The `Retry-After` field (RFC 9110 section 10.2.3).
package enum RetryAfter {
    /// The time to wait, given in seconds or as a date.
    ///
    /// - Returns: Zero to `limit`; nil when the field is neither.
    package static func parse(_ field: String, now: Timestamp, limit: Duration = .seconds(3600)) -> Duration? {
        let text = field.utf8.drop { $0 == 0x20 }
        let digits = text.prefix { $0.isDigit }
        if !digits.isEmpty, text.dropFirst(digits.count).allSatisfy({ $0 == 0x20 }) {
            guard digits.count <= 10, let seconds = Int64(Substring(digits)) else { return limit }
            return min(.seconds(seconds), limit)
        }
        guard let date = HTTPDate.parse(field) else { return nil }
        return min(max(date - now, .zero), limit)
    }
}
