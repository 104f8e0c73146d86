internal import JSON

/// Makes names from a provider fit to stand in a question that a user decides by.
///
/// Users may choose their own names, and the sender of a link may be such a user: nothing in a name may look like a
/// part of the page around it, hide other text or change its direction.
enum ShownName {
    /// The most characters of a name that are shown; a longer name is cut and ends with an ellipsis.
    static let longest = 64

    /// The claims that name a user; the first one present is used.
    ///
    /// The name that a user signs in with comes first: the provider gives it to one user alone.
    private static let claims = ["preferred_username", "name", "email"]

    /// The name in the claims of a user; nil if the claims have none.
    static func name(in claims: JSONObject?) -> String? {
        Self.claims.lazy.compactMap { claims?[$0]?.string }.first { text($0) != nil }
    }

    /// The text without control characters, format characters and angle brackets, with single blanks, and cut.
    ///
    /// - Returns: nil if no character is left.
    static func text(_ name: String) -> String? {
        var shown = String.UnicodeScalarView()
        var isBlank = false
        for scalar in name.unicodeScalars {
            if scalar.properties.isWhitespace {
                isBlank = !shown.isEmpty
                continue
            }
            // rule: a shown name has no characters that hide or turn others
            guard isShown(scalar) else { continue }
            // rule: a shown name has a bound
            guard shown.count + (isBlank ? 1 : 0) < longest else {
                shown.append("…")
                break
            }
            if isBlank { shown.append(" ") }
            isBlank = false
            shown.append(scalar)
        }
        return shown.isEmpty ? nil : String(shown)
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: scalar != "<" && scalar != ">"
        }
    }
}
