internal import Basics
internal import JSON

/// A text in the place of an access token or an ID token, for programs that store one and pass it around.
///
/// It has the form of a signed token, so that programs can decode it, and an algorithm that no server knows, so that no
/// server accepts it.
package struct PlaceholderToken: Sendable, Equatable {
    /// The `alg` of the header.
    static let algorithm = "placeholder"
    private static let notice =
        "This is no token and opens nothing. The browser's cookie signs the user in, and the server has the tokens."

    /// The id by which a placeholder of an access token can be revoked.
    package let id: String

    /// Names a placeholder of an access token.
    package init(id: String) {
        self.id = id
    }

    /// Reads the id out of a placeholder of an access token; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(byte: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= 1024, let bytes = Base64URL.decode(parts[1]),
            let id = (try? JSONValue(parsing: bytes))?["jti"]?.string
        else { return nil }
        self.init(id: id)
    }

    /// The placeholder of an access token.
    package var text: String { Self.text(["placeholder": .string(Self.notice), "jti": .string(id)]) }

    /// The placeholder of an ID token.
    ///
    /// - Parameters:
    ///   - request: The request that the token answers.
    ///   - user: The answer to `user`, as JSON.
    ///   - now: Seconds since 1970.
    /// - Returns: The placeholder.
    package static func idToken(_ request: IDTokenRequest, user: [UInt8], now: Int64) -> String {
        let user = try? JSONValue(parsing: user)
        var claims: JSONObject = [
            "placeholder": .string(notice), "iss": .string(request.issuer), "sub": user?["subject"] ?? "",
        ]
        if let client = request.clientID { claims["aud"] = .string(client) }
        if let nonce = request.nonce { claims["nonce"] = .string(nonce) }
        claims["iat"] = JSONValue(now)
        claims["exp"] = JSONValue(now + (user?["expiresIn"]?["absolute"]?.int ?? 0))
        for (claim, member) in [("acr", "acr"), ("amr", "amr"), ("auth_time", "authTime")] {
            if let value = user?["token"]?[member], !value.isNull { claims[claim] = value }
        }
        return text(claims)
    }

    private static func text(_ claims: JSONObject) -> String {
        let header: JSONObject = ["alg": .string(algorithm), "typ": .string(algorithm)]
        let parts = [header, claims].map { Base64URL.encode(JSONValue.object($0).serialized()) }
        return (parts + [Base64URL.encode(Array(algorithm.utf8))]).joined(separator: ".")
    }
}

/// The parts of a request that a placeholder of an ID token repeats.
package struct IDTokenRequest: Sendable, Equatable {
    /// The issuer: an address of this server.
    package let issuer: String
    /// The client's own id for itself; nil for none.
    package let clientID: String?
    /// The `nonce` of the request; nil for none.
    package let nonce: String?

    /// Makes the parts of a request.
    package init(issuer: String, clientID: String?, nonce: String?) {
        self.issuer = issuer
        self.clientID = clientID
        self.nonce = nonce
    }
}
