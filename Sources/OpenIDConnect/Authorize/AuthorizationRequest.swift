internal import Basics
internal import Cryptography
internal import Discovery
internal import HTTPCore

/// One authorize request with the secrets that its answer is checked against; never used twice.
struct AuthorizationRequest: Sendable {
    let state: String
    let nonce: String
    let pkce: PKCE

    init(state: String = SecureRandom.token(24), nonce: String = SecureRandom.token(24), pkce: PKCE = PKCE()) {
        self.state = state
        self.nonce = nonce
        self.pkce = pkce
    }

    /// The request as it goes to the authorization endpoint with a provider session.
    func clientRequest(
        _ settings: OpenIDClientSettings, _ metadata: ProviderMetadata, _ session: SessionHeader,
        _ options: AuthorizeOptions
    ) throws(OpenIDError) -> ClientRequest {
        guard !session.value.reveal().isEmpty else { throw .loginRequired }
        guard let name = try? HTTPField.Name(checking: session.name) else {
            throw .configuration("the session cookie's name")
        }
        var url = metadata.authorizationEndpoint
        for (name, value) in try parameters(settings, options) { url.append(parameter: name, value) }
        var fields: HTTPFields = [.acceptAPIVersion: "resource=2.1, protocol=1.0"]
        guard session.isCookie else { throw .invalidResponse(check: "session") }
        try fields.setReceived(name, session.value.reveal())
        try fields.setReceived(.cookie, session.cookieField)
        return ClientRequest(.get, url, fields: fields)
    }

    /// The request of somebody who has no session, to see whether the provider takes it.
    func clientRequest(
        _ settings: OpenIDClientSettings, _ metadata: ProviderMetadata
    ) throws(OpenIDError) -> ClientRequest {
        var url = metadata.authorizationEndpoint
        for (name, value) in try parameters(settings, AuthorizeOptions()) { url.append(parameter: name, value) }
        return ClientRequest(.get, url, fields: [.acceptAPIVersion: "resource=2.1, protocol=1.0"])
    }

    private func parameters(
        _ settings: OpenIDClientSettings, _ options: AuthorizeOptions
    ) throws(OpenIDError) -> [(String, String)] {
        var parameters = [
            ("client_id", settings.clientID), ("response_type", "code"),
            ("scope", settings.scopes.joined(separator: " ")), ("redirect_uri", settings.redirectURI),
            ("state", state), ("nonce", nonce), ("code_challenge", pkce.challenge), ("code_challenge_method", "S256"),
        ]
        let acrValues = options.acrValues.isEmpty ? settings.acrValues : options.acrValues
        if !acrValues.isEmpty { parameters.append(("acr_values", acrValues.joined(separator: " "))) }
        if !options.uiLocales.isEmpty { parameters.append(("ui_locales", options.uiLocales.joined(separator: " "))) }
        let extra = settings.parameters.merging(options.parameters) { _, caller in caller }
        for (name, value) in extra.sorted(by: { $0.key < $1.key }) {
            guard !OpenIDClientSettings.reservedParameters.contains(name), name != "ui_locales" else {
                throw .configuration("the parameter \(name) is set by the client itself")
            }
            try checkKeepsSession(name, value)
            parameters.append((name, value))
        }
        return parameters
    }

    /// `prompt=login` and its like, and `max_age`, end the session that the request stands on (docs/protocol.md,
    /// 'Authorization with a session').
    private func checkKeepsSession(_ name: String, _ value: String) throws(OpenIDError) {
        guard name != "max_age", name != "prompt" || value == "none" else {
            throw .configuration("the parameter \(name) is not sent with a session; a forced sign-in does its work")
        }
    }
}

extension HTTPFields {
    /// Sets a field to a value that comes from settings or is made of them.
    ///
    /// - Throws: `.configuration` that names the field.
    mutating func setConfigured(_ name: HTTPField.Name, _ value: String) throws(OpenIDError) {
        do { try set(name, checking: value) } catch { throw .configuration("\(error)") }
    }

    /// Sets a field to a value that the provider gave us.
    ///
    /// - Throws: `.invalidResponse` that names the field.
    mutating func setReceived(_ name: HTTPField.Name, _ value: String) throws(OpenIDError) {
        do { try set(name, checking: value) } catch { throw .invalidResponse(check: "\(error)") }
    }
}
