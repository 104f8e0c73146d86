internal import Basics
internal import Discovery
internal import HTTPCore
public import JSON

extension OpenIDClient {
    /// The largest userinfo answer, in bytes: more than any user's claims, and so little that a session can hold
    /// several.
    private static let longestUserinfo = 128 * 1024

    /// Reads the claims of the user (OpenID Connect Core 5.3).
    ///
    /// - Parameters:
    ///   - tokens: Tokens whose access token is valid.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The claims of the tokens' subject.
    /// - Throws: `.invalidGrant` when the access token is refused, which says nothing about the refresh token;
    ///   `.invalidUserinfo` for another subject, for anything but a JSON object, and for more than 128 KiB.
    public func userinfo(
        _ tokens: TokenSet, deadline: ContinuousClock.Instant
    ) async throws(OpenIDError) -> JSONObject {
        let metadata = try await metadata(deadline: deadline)
        guard let endpoint = metadata.userinfoEndpoint else { throw .configuration("no userinfo endpoint") }
        var fields: HTTPFields = [.accept: "application/json"]
        try fields.setReceived(.authorization, "Bearer " + tokens.accessToken.reveal())
        let response = try await send(ClientRequest(.get, endpoint, fields: fields), deadline: deadline)
        switch response.status {
        case 200:
            // rule: userinfo has a bound
            guard response.body.count <= Self.longestUserinfo,
                let claims = (try? JSONValue(parsing: response.body))?.object
            else { throw .invalidUserinfo }
            // rule: userinfo is about the user of the tokens
            try checkSubject(claims, tokens.subject)
            return claims
        case 429, 503:
            throw .busy(retryAfter: response.retryAfter(time.now()))
        case 400..<500:
            throw Self.refusal(response)
        default:
            throw .noUsableAnswer
        }
    }

    /// The error for a 4xx; a gateway's page says nothing about the access token.
    ///
    /// A refusal may have no body; then its challenge tells the reason (RFC 6750 section 3).
    private static func refusal(_ response: ClientResponse) -> OpenIDError {
        let isChallenge = response.fields[.wwwAuthenticate]?.lowercased().starts(withText: "bearer") ?? false
        let isOwn = OAuthErrorBody.isDocument(response) || isChallenge
        guard response.status != 408, isOwn || response.body.isEmpty && response.status == 401 else {
            return .noUsableAnswer
        }
        if response.status == 401 { return .invalidGrant }
        return .rejected(code: OAuthErrorBody.code(in: response), status: response.status)
    }

    /// Claims of another subject may mean that tokens were swapped (Core 5.3.2).
    private func checkSubject(_ claims: JSONObject, _ subject: String) throws(OpenIDError) {
        guard let stated = claims["sub"]?.string, stated.isSameText(as: subject) else { throw .invalidUserinfo }
    }
}
