internal import Basics
internal import HTTPCore
internal import JSON

/// A successful answer of the token endpoint (RFC 6749 section 5.1), read leniently where providers differ.
struct TokenResponse: Sendable {
    /// The longest accepted token, in bytes.
    static let maximumTokenBytes = 32 * 1024

    let accessToken: Secret<String>
    let tokenType: String?
    let refreshToken: Secret<String>?
    let idToken: Secret<String>?
    /// Nil when the provider named none, which means that all requested scopes were granted.
    let scopes: [String]?
    /// When the request was sent; lifetimes count from here, so that tokens never end late.
    let sentAt: Timestamp
    /// Nil when the provider named none, or none that makes sense.
    let lifetime: Duration?

    init(_ response: ClientResponse, sentAt: Timestamp) throws(OpenIDError) {
        guard let json = (try? JSONValue(parsing: response.body))?.object else { throw .noUsableAnswer }
        // rule: an access token fits into a header field
        guard let token = try Self.text(json, "access_token"), Self.isHeaderSafe(token.reveal()) else {
            throw .invalidResponse(check: "access_token")
        }
        accessToken = token
        tokenType = json["token_type"]?.string
        refreshToken = try Self.text(json, "refresh_token")
        idToken = try Self.text(json, "id_token")
        scopes = try Self.scopes(json["scope"])
        self.sentAt = sentAt
        lifetime = Self.lifetime(json["expires_in"])
        // rule: an access token is a bearer token
        try checkType()
    }

    /// Only bearer tokens are accepted, because the proxy sends no other kind (RFC 6750).
    private func checkType() throws(OpenIDError) {
        guard let tokenType else { return }
        guard tokenType.lowercased() == "bearer" else {
            // A provider that confuses its members must not get a token into the log.
            let found = tokenType.utf8.count <= 32 ? tokenType : "\(tokenType.utf8.count) bytes"
            throw .invalidResponse(check: "token_type", Mismatch(expected: "Bearer", found: found))
        }
    }

    /// A token; nil when it is absent, null or empty.
    private static func text(_ json: JSONObject, _ name: String) throws(OpenIDError) -> Secret<String>? {
        guard let value = json[name], !value.isNull, value.string != "" else { return nil }
        // rule: a token of an answer has no more than 32 KiB
        guard let text = value.string, text.utf8.count <= maximumTokenBytes else {
            throw .invalidResponse(check: name)
        }
        return Secret(text)
    }

    private static func scopes(_ value: JSONValue?) throws(OpenIDError) -> [String]? {
        guard let parts = value?.string.map({ [$0] }) ?? value?.array?.compactMap(\.string) else { return nil }
        // Scopes are stored with the tokens, which have the same bound.
        // rule: scopes of an answer have no more than 32 KiB
        guard parts.reduce(0, { $0 + $1.utf8.count }) <= maximumTokenBytes else {
            throw .invalidResponse(check: "scope")
        }
        return parts.flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// Seconds, as a number or as text; zero, negative values and more than 366 days count as absent.
    private static func lifetime(_ value: JSONValue?) -> Duration? {
        guard let value, let seconds = value.double ?? value.string.flatMap(Double.init), seconds > 0,
            seconds <= 366 * 86_400
        else { return nil }
        return .milliseconds(Int64(seconds * 1000))
    }

    /// True if the token is visible ASCII only, as an `Authorization` field requires.
    private static func isHeaderSafe(_ token: String) -> Bool {
        token.utf8.allSatisfy { (0x21..<0x7F).contains($0) }
    }
}
