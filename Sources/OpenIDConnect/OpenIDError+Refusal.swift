internal import HTTPCore

extension OpenIDError {
    /// Reads a 4xx of an OAuth endpoint, apart from 429.
    ///
    /// Only the JSON error document comes from the provider itself. A gateway's page, and 408, say nothing about the
    /// request, which may be sent again later. A 401 without a body is about the client (RFC 6749 section 5.2).
    ///
    /// - SeeAlso: docs/protocol.md, 'Answers of other systems'.
    init(refusal response: ClientResponse) {
        guard response.status != 408 else {
            self = .noUsableAnswer
            return
        }
        guard OAuthErrorBody.isDocument(response) else {
            self = response.status == 401 && response.body.isEmpty ? .invalidClient : .noUsableAnswer
            return
        }
        self =
            switch OAuthErrorBody.code(in: response) {
            case "invalid_client": .invalidClient
            case "temporarily_unavailable": .busy(retryAfter: nil)
            case let code: .rejected(code: code, status: response.status)
            }
    }
}
