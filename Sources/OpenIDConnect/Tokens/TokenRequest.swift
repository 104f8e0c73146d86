package import Basics
package import HTTPCore

/// Requests to the token and revocation endpoints, with client authentication.
extension OpenIDClient {
    /// A form POST with exactly one method of client authentication (docs/protocol.md, 'Client authentication').
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
        let request = try authenticated(url, form)
        let response = try await send(request, deadline: deadline)
        switch response.status {
        case 200:
            do { return try TokenResponse(response, sentAt: sentAt) } catch {
                if error == .noUsableAnswer { noteUnusable(response, to: request) }
                throw error
            }
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(time.now()))
        case 400..<500:
            throw tokenError(response)
        default:
            noteUnusable(response, to: request)
            throw .noUsableAnswer
        }
    }

    private func tokenError(_ response: ClientResponse) -> OpenIDError {
        switch OpenIDError(refusal: response) {
        case .rejected(code: "invalid_grant", _): .invalidGrant
        case .rejected(code: "unauthorized_client", _), .rejected(_, status: 401): .invalidClient
        case let refusal: refusal
        }
    }
}

extension ClientResponse {
    /// The wait that the provider asks for (RFC 9110 section 10.2.3); nil when it names none.
    package func retryAfter(_ now: Timestamp) -> Duration? {
        fields[.retryAfter].flatMap { RetryAfter.parse($0, now: now) }
    }
}

extension HTTPFields {
    /// Sets a field to a value that comes from settings or is made of them.
    ///
    /// - Throws: `.configuration` naming the field.
    mutating func setConfigured(_ name: HTTPField.Name, _ value: String) throws(OpenIDError) {
        do { try set(name, checking: value) } catch { throw .configuration("\(error)") }
    }

    /// Sets a field to a value that came from the provider.
    ///
    /// - Throws: `.invalidResponse` naming the field.
    mutating func setReceived(_ name: HTTPField.Name, _ value: String) throws(OpenIDError) {
        do { try set(name, checking: value) } catch { throw .invalidResponse(check: "\(error)") }
    }
}
