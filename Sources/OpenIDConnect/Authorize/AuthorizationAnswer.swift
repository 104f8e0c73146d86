internal import Basics
public import HTTPCore

/// What came back to the redirect URI, by the way it came.
public enum AuthorizationAnswer: Sendable, Equatable {
    /// In the query.
    case query(QueryParameters)
    /// In the body of a POST (OAuth 2.0 Form Post Response Mode).
    case form(QueryParameters)
    /// In the fragment, where only errors may be: a code is never asked for there.
    case fragment(QueryParameters)
}

extension AuthorizationAnswer {
    private var parameters: QueryParameters {
        switch self {
        case .query(let parameters), .form(let parameters), .fragment(let parameters): parameters
        }
    }

    /// Whether the answer is one to this authorization, and to be taken at all: nothing occurs twice (RFC 6749 section 3.1),
    /// and the state is the one that was sent (section 10.12).
    func check(isFor authorization: Authorization) throws(OpenIDError) {
        // rule: nothing occurs twice in an answer
        if parameters.firstRepeatedName != nil { throw .invalidResponse(check: "duplicate parameter") }
        // rule: an answer has the state that was sent
        guard let state = parameters.single("state"), state.isSameText(as: authorization.state.reveal()) else {
            throw .invalidResponse(check: "state")
        }
    }

    /// The code, after the checks that stand before it.
    ///
    /// - Parameters:
    ///   - issuer: Who was asked.
    ///   - isIssuerAnnounced: Whether the provider's metadata say that its answers name it.
    /// - Returns: The code, of 1 to 2048 bytes.
    /// - Throws: The check that fails, or the error that the answer is.
    func code(from issuer: String, isIssuerAnnounced: Bool) throws(OpenIDError) -> Secret<String> {
        // rule: an answer is of the issuer that was asked
        try checkIssuer(issuer, isAnnounced: isIssuerAnnounced)
        // rule: an answer with an error has no code
        try checkNoError()
        // rule: a code in a fragment is not taken
        if case .fragment = self { throw .invalidResponse(check: "response_mode") }
        // rule: a code has 1 to 2048 bytes
        guard let code = parameters.single("code"), (1...2048).contains(code.utf8.count) else {
            throw .invalidResponse(check: "code")
        }
        return Secret(code)
    }

    /// RFC 9207: present or announced, it must be the issuer.
    private func checkIssuer(_ issuer: String, isAnnounced: Bool) throws(OpenIDError) {
        let found = parameters.single("iss")
        // rule: an issuer that is not announced may be missing
        if found == nil, !isAnnounced { return }
        guard let found, found.isSameText(as: issuer) else {
            throw .invalidResponse(check: "iss", Mismatch(expected: issuer, found: found))
        }
    }

    /// RFC 6749 section 4.1.2.1, OpenID Connect Core 3.1.2.6.
    ///
    /// `error_description` is left where it is: anybody could have written it, and it may say who the user is.
    private func checkNoError() throws(OpenIDError) {
        guard let error = parameters.single("error") else { return }
        switch error {
        case "login_required", "interaction_required", "account_selection_required": throw .loginRequired
        case "consent_required": throw .consentRequired
        case "temporarily_unavailable": throw .busy(retryAfter: nil)
        case "server_error": throw .noUsableAnswer
        default: throw .rejected(code: OAuthErrorBody.printable(error), status: 302)
        }
    }
}

extension AuthorizationAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the parameters: names and values may be anybody's.
    public var description: String { "AuthorizationAnswer" }
    /// Nothing of the parameters.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
