package import Basics
package import HTTPCore

/// Requests to the token and revocation endpoints, with the client's proof of identity.
extension OpenIDClient {
    /// A form POST that proves who we are, with exactly one method (docs/protocol.md, 'Client authentication').
    func authenticated(_ url: WebURL, _ form: QueryParameters) throws(OpenIDError) -> ClientRequest {
        var form = form
        var fields: HTTPFields = [.accept: "application/json", .contentType: "application/x-www-form-urlencoded"]
        switch settings.authentication {
        case .basic(let secret):
            let pair = PercentEncoding.encode(settings.clientID) + ":" + PercentEncoding.encode(secret.reveal())
            try fields.setConfigured(.authorization, "Basic " + Base64.encode(pair.utf8))
        case .basicRaw(let secret):
            let pair = settings.clientID + ":" + secret.reveal()
            try fields.setConfigured(.authorization, "Basic " + Base64.encode(pair.utf8))
        case .post(let secret):
            form.append("client_id", settings.clientID)
            form.append("client_secret", secret.reveal())
        case .none:
            form.append("client_id", settings.clientID)
        }
        return ClientRequest(.post, url, fields: fields, body: Array(form.encoded.utf8))
    }

    /// Sends a token request and reads its answer; one attempt, never retried here.
    func requestTokens(
        _ url: WebURL, _ form: QueryParameters, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> TokenResponse {
        let sentAt = time.now()
        let response = try await send(try authenticated(url, form), deadline: deadline)
        switch response.status {
        case 200:
            return try TokenResponse(response, sentAt: sentAt)
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(time.now()))
        case 400..<500:
            throw tokenError(response)
        default:
            throw .noUsableAnswer
        }
    }

    private func tokenError(_ response: ClientResponse) -> OpenIDError {
        switch OAuthErrorBody.code(in: response) {
        case "invalid_grant": .invalidGrant
        case "invalid_client", "unauthorized_client": .invalidClient
        case "temporarily_unavailable": .busy(retryAfter: nil)
        case _ where response.status == 401: .invalidClient
        case let code: .rejected(code: code, status: response.status)
        }
    }
}

extension ClientResponse {
    /// How long the provider asks us to wait (RFC 9110 section 10.2.3); nil when it does not say.
    package func retryAfter(_ now: Timestamp) -> Duration? {
        fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }
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
