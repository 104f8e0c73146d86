/// Why a name and a value cannot form a header field.
///
/// It names the field, never the value, which may be a secret. Callers react by the source of the text: 400 for a
/// browser's, a refused answer for a provider's or an API's, a configuration error for settings.
public enum HTTPFieldError: Error, Sendable, Equatable {
    /// The name is empty, longer than 256 bytes or contains a character that no token may contain (RFC 9110 section
    /// 5.6.2).
    case name
    /// The value of this field contains a control character, which includes CR, LF and NUL (RFC 9110 section 5.5).
    case controlCharacter(field: String)
    /// The value of this field begins or ends with a blank or a tab, which a recipient would remove.
    case blankAtEnd(field: String)
}

extension HTTPFieldError: CustomStringConvertible {
    /// A sentence about the problem, without the value.
    public var description: String {
        switch self {
        case .name: "a header field has a name that is no token"
        case .controlCharacter(let field): "the header field \(field) holds a character that no field can carry"
        case .blankAtEnd(let field): "the header field \(field) begins or ends with a blank"
        }
    }
}
