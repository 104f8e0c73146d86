/// Why a name and a value are not a header field.
///
/// It names the field, never the value, which may be a secret. What the one who asked does with it depends on where the
/// text came from: 400 for a browser's, a refused answer for a provider's or an API's, a configuration error for
/// settings.
public enum HTTPFieldError: Error, Sendable, Equatable {
    /// The name is empty, longer than 256 bytes or holds what no token may hold (RFC 9110 section 5.6.2).
    case name
    /// The value of this field holds a control character, CR, LF and NUL among them (RFC 9110 section 5.5).
    case controlCharacter(field: String)
    /// The value of this field begins or ends with a blank or a tab, which a recipient would cut off.
    case blankAtEnd(field: String)
}

extension HTTPFieldError: CustomStringConvertible {
    /// A sentence without the value.
    public var description: String {
        switch self {
        case .name: "a header field has a name that is no token"
        case .controlCharacter(let field): "the header field \(field) holds a character that no field can carry"
        case .blankAtEnd(let field): "the header field \(field) begins or ends with a blank"
        }
    }
}
