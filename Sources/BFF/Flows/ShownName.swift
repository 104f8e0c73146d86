internal import JSON

/// Names from a provider, made fit to stand in a question that a user decides by.
///
/// A user may choose the own name, and the one who sent a link may be such a user: nothing in a name may look like a part of
/// the page around it, hide other text or change its direction.
enum ShownName {
    /// The most characters of a name that are shown; one that is cut ends with an ellipsis.
    static let longest = 64

    /// The claims that name a user, the first one that there is.
    ///
    /// The name that a user signs in with comes first: the provider gives it to one user alone.
    private static let claims = ["preferred_username", "name", "email"]

    /// The name in the claims of a user; nil where they have none.
    static func name(in claims: JSONObject?) -> String? {
        Self.claims.lazy.compactMap { claims?[$0]?.string }.first { text($0) != nil }
    }

    /// The text without control and format characters, without angle brackets, with single blanks, and cut.
    ///
    /// - Returns: nil where nothing is left.
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
            guard shown.count < longest else {
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
