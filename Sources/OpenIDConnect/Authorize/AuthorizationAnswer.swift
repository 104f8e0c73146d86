internal import Basics
public import HTTPCore

/// The parameters that came to the redirect URI, and the part of the request that they came in.
public enum AuthorizationAnswer: Sendable, Equatable {
    /// In the query.
    case query(QueryParameters)
    /// In the body of a POST (OAuth 2.0 Form Post Response Mode).
    case form(QueryParameters)
    /// In the fragment, which may carry only errors: the client never asks for a code there.
    case fragment(QueryParameters)
}

extension AuthorizationAnswer {
    private var parameters: QueryParameters {
        switch self {
        case .query(let parameters), .form(let parameters), .fragment(let parameters): parameters
        }
    }

    /// Checks that the answer belongs to an authorization: no parameter occurs twice (RFC 6749 section 3.1), and the
    /// state is the one that was sent (section 10.12).
    func check(isFor authorization: Authorization) throws(OpenIDError) {
        // rule: nothing occurs twice in an answer
        if parameters.firstRepeatedName != nil { throw .invalidResponse(check: "duplicate parameter") }
        // rule: an answer has the state that was sent
        guard let state = parameters.single("state"), state.isSameText(as: authorization.state.reveal()) else {
            throw .invalidResponse(check: "state")
        }
    }

    /// The authorization code, after the checks of issuer, error and response mode.
    ///
    /// - Parameters:
    ///   - issuer: The issuer that was asked.
    ///   - isIssuerAnnounced: True if the provider's metadata say that its answers carry `iss`.
    /// - Returns: The code, of 1 to 2048 bytes.
    /// - Throws: The check that fails, or the error that the answer carries.
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

    /// Requires the expected issuer when `iss` is present or announced (RFC 9207).
    private func checkIssuer(_ issuer: String, isAnnounced: Bool) throws(OpenIDError) {
        let found = parameters.single("iss")
        // rule: an issuer that is not announced may be missing
        if found == nil, !isAnnounced { return }
        guard let found, found.isSameText(as: issuer) else {
            throw .invalidResponse(check: "iss", Mismatch(expected: issuer, found: found))
        }
    }

    /// Throws the error that the answer carries, if any (RFC 6749 section 4.1.2.1, OpenID Connect Core 3.1.2.6).
    ///
    /// `error_description` is ignored: anyone could have written it, and it may identify the user.
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
    /// The type's name only: names and values of the parameters may come from anyone.
    public var description: String { "AuthorizationAnswer" }
    /// The type's name only.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value does not print the parameters.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
