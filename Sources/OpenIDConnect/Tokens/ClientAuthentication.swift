public import Basics
internal import HTTPCore

/// How a client authenticates itself at the token, revocation and introspection endpoints (RFC 6749 section 2.3).
public enum ClientAuthentication: Sendable, Equatable {
    /// `client_secret_basic`: both parts form-encoded before they are joined.
    case basic(Secret<String>)
    /// `client_secret_basic_raw`: both parts joined unencoded, against RFC 6749, as some providers expect them.
    ///
    /// Makes a difference only if a part has characters other than letters, digits and `-._~`.
    case basicRaw(Secret<String>)
    /// `client_secret_post`: in the form body, never in an address.
    case post(Secret<String>)
    /// A public client, protected by PKCE alone.
    case none

    /// The secret; nil for a public client.
    public var secret: Secret<String>? {
        switch self {
        case .basic(let secret), .basicRaw(let secret), .post(let secret): secret
        case .none: nil
        }
    }

    /// Advice for an operator when the provider refuses this authentication; nil when there is none.
    ///
    /// - Parameter clientID: The client id, which travels with the secret.
    /// - Returns: A setting to change; says nothing about the secret except that it has such characters.
    func advice(_ clientID: String) -> String? {
        guard let text = secret.map({ clientID + $0.reveal() }) else { return nil }
        let isASCII = text.utf8.allSatisfy { $0 < 0x80 }
        let isPlain = PercentEncoding.encode(text) == text
        switch self {
        case .basic where !isASCII, .basicRaw where !isASCII:
            return "the id or secret has characters outside ASCII; try clientAuthentication: client_secret_post"
        case .basic where !isPlain:
            return
                "the id or secret has characters that client_secret_basic encodes, and some providers take them as they"
                + " are; try clientAuthentication: client_secret_basic_raw"
        case .basicRaw where !isPlain:
            return
                "the id or secret has characters that RFC 6749 encodes; try clientAuthentication: client_secret_basic"
        case .basic, .basicRaw, .post, .none: return nil
        }
    }
}
