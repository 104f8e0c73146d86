/// Why a request was not written; nothing of it may be sent.
///
/// It names the part, never its bytes, which may be secret.
package enum RequestWriteError: String, Error, Sendable, Equatable, CaseIterable {
    /// The method is no token, or CONNECT (RFC 9110 section 9.1).
    case method
    /// The target does not begin with `/`, or holds a blank, a control character, `#`, `\` or a byte outside ASCII (RFC
    /// 9112 section 3.2.1).
    case target
    /// The host is empty or holds a byte that no authority can have (RFC 9112 section 3.2).
    case host
    /// A field name is empty or no token (RFC 9110 section 5.1).
    case fieldName = "field-name"
    /// A field value holds a control character, or begins or ends with a blank (RFC 9110 section 5.5).
    case fieldValue = "field-value"
    /// A field that the codec writes itself, or whose answer it does not understand: it frames the message or manages the
    /// connection (RFC 9112 sections 6 and 9, RFC 9110 sections 7.2, 7.6.1, 7.8 and 10.1).
    case reservedField = "reserved-field"
}
