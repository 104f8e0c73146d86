internal import Basics
internal import HTTPCore
internal import JSON

/// A successful answer of the token endpoint (RFC 6749 section 5.1), taken leniently where providers differ.
struct TokenResponse: Sendable {
    let accessToken: Secret<String>
    let tokenType: String?
    let refreshToken: Secret<String>?
    let idToken: Secret<String>?
    /// nil when the provider named none: granted as asked.
    let scopes: [String]?
    let issuedAt: Timestamp
    let expiresAt: Timestamp

    init(_ response: ClientResponse, sentAt: Timestamp, defaultLifetime: Duration) throws(OpenIDError) {
        guard let json = (try? JSONValue(parsing: response.body))?.object else { throw .noUsableAnswer }
        guard let token = json["access_token"]?.string, !token.isEmpty, Self.isHeaderSafe(token) else {
            throw .invalidResponse(check: "access_token")
        }
        accessToken = Secret(token)
        tokenType = json["token_type"]?.string
        refreshToken = Self.text(json, "refresh_token")
        idToken = Self.text(json, "id_token")
        scopes = Self.scopes(json["scope"])
        issuedAt = sentAt
        expiresAt = sentAt + (Self.lifetime(json["expires_in"]) ?? defaultLifetime)
    }

    private static func text(_ json: JSONObject, _ name: String) -> Secret<String>? {
        guard let text = json[name]?.string, !text.isEmpty else { return nil }
        return Secret(text)
    }

    private static func scopes(_ value: JSONValue?) -> [String]? {
        let parts = value?.string.map { [$0] } ?? value?.array?.compactMap(\.string)
        return parts?.flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// Seconds as a number or as a text of one; absent, negative and absurd ones count as absent.
    private static func lifetime(_ value: JSONValue?) -> Duration? {
        guard let value, let seconds = value.double ?? value.string.flatMap(Double.init), seconds >= 0,
            seconds <= 366 * 86_400
        else { return nil }
        return .milliseconds(Int64(seconds * 1000))
    }

    /// Goes into an `Authorization` field later: visible ASCII only.
    private static func isHeaderSafe(_ token: String) -> Bool {
        token.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }
}
