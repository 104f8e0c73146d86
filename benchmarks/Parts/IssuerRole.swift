import Basics
import Cryptography
import HTTPServer
import JOSE
import JSON
import Logs

/// An issuer of access tokens: its documents over HTTP, and its tokens in files, for everybody who checks tokens.
///
/// The keys are in the directory as `RS256.pem` and `ES256.pem`. Beside them it writes `RS256.tokens` with 1,000 different
/// tokens, one a line, and `RS256.bad` with what nobody may take; the same for ES256.
struct IssuerRole {
    /// How many tokens there are of each algorithm.
    private static let count = 1000
    /// The audience and the scope of every token.
    static let audience = "https://api.example.com"
    static let scope = "accounts:read"

    private let directory: String
    private let issuer = Locked("")

    static func run(directory: String) async throws {
        try await IssuerRole(directory: directory).run()
    }

    private init(directory: String) {
        self.directory = directory
    }

    private func run() async throws {
        let keys = try [key(.RS256), key(.ES256)]
        let set = JSONValue.object(JWKSet(keys.map(\.jwk)).json).serialized()
        let issuer = issuer
        let listener = try Listener(ListenerSettings(), logger: Main.logger("issuer")) { request in
            let type = [ResponseHeader("Content-Type", "application/json")]
            switch request.path {
            case "/.well-known/openid-configuration":
                return ServerResponse(status: 200, headers: type, body: Self.metadata(issuer.withLock { $0 }))
            case "/keys": return ServerResponse(status: 200, headers: type, body: set)
            default: return ServerResponse(status: 404)
            }
        }
        try listener.start()
        let name = "http://127.0.0.1:\(listener.port)"
        issuer.withLock { $0 = name }
        for key in keys { try write(key) }
        Main.ready("\"url\":\"\(name)\",\"audience\":\"\(Self.audience)\"")
        await Main.runUntilKilled()
    }

    private static func metadata(_ issuer: String) -> [UInt8] {
        JSONValue.object([
            "issuer": .string(issuer), "jwks_uri": .string(issuer + "/keys"),
            "authorization_endpoint": .string(issuer + "/authorize"), "token_endpoint": .string(issuer + "/token"),
        ]).serialized()
    }

    private func key(_ algorithm: JWSAlgorithm) throws -> SigningKey {
        let pem = try file(algorithm, "pem").read()
        return try SigningKey(PrivateKey(pem: pem), algorithm, keyID: "bench-\(algorithm.rawValue)")
    }

    private func file(_ algorithm: JWSAlgorithm, _ kind: String) -> TextFile {
        TextFile(path: "\(directory)/\(algorithm.rawValue).\(kind)")
    }

    // MARK: Tokens

    private func write(_ key: SigningKey) throws {
        let tokens = try (0..<Self.count).map { try key.sign(claims: claims($0)) }
        try file(key.algorithm, "tokens").write(lines(tokens))
        let stranger = try SigningKey.generate(key.algorithm, keyID: key.keyID)
        let bad = try [
            swapped(tokens[0], tokens[1], part: 1), swapped(tokens[0], tokens[1], part: 2),
            stranger.sign(claims: claims(0)),
        ]
        try file(key.algorithm, "bad").write(lines(bad))
    }

    /// What AM puts into an access token.
    private func claims(_ number: Int) -> JSONObject {
        let now = SystemTime().now().seconds
        return [
            "sub": .string("(usr!user-\(number))"), "cts": "OAUTH2_STATELESS_GRANT",
            "auditTrackingId": .string(Self.random()), "subname": .string("user-\(number)"),
            "iss": .string(issuer.withLock { $0 }), "tokenName": "access_token", "token_type": "Bearer",
            "authGrantId": .string(Self.random()), "client_id": "bench", "aud": .string(Self.audience),
            "nbf": JSONValue(now), "grant_type": "authorization_code", "scope": ["openid", .string(Self.scope)],
            "auth_time": JSONValue(now), "realm": "/alpha", "exp": JSONValue(now + 86_400), "iat": JSONValue(now),
            "expires_in": 86_400, "jti": .string(Self.random()), "auth_level": 2, "acr": "gold",
            "amr": ["pwd", "otp"],
        ]
    }

    private static func random() -> String { Base64URL.encode(SecureRandom.bytes(20)) }

    private func lines(_ tokens: [String]) -> String { tokens.map { $0 + "\n" }.joined() }

    /// A token with one part of another: content or signature that do not go together.
    private func swapped(_ token: String, _ other: String, part: Int) -> String {
        var parts = token.split(separator: ".")
        parts[part] = other.split(separator: ".")[part]
        return parts.joined(separator: ".")
    }
}
