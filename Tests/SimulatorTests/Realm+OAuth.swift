import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import Testing

extension Realm {
    /// The pair of RFC 7636 appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// A complete authorization request.
    static func request(client: String = "bff", scope: String = "openid profile email") -> [String: String] {
        [
            "client_id": client, "response_type": "code", "scope": scope, "redirect_uri": callback, "state": "st",
            "nonce": "n-0S6", "code_challenge": challenge, "code_challenge_method": "S256",
        ]
    }

    func authorize(_ parameters: [String: String], session: String?) async throws -> Reply {
        let query = Self.query(parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
        return try await send(.get, "\(Self.oauth)/authorize?\(query)", headers: sessionHeader(session))
    }

    func code(client: String = "bff", scope: String = "openid profile email", session: String) async throws -> String {
        let reply = try await authorize(Self.request(client: client, scope: scope), session: session)
        return try #require(reply.location?.single("code"))
    }

    static let bff = basic("bff", "s/ecret+1")
    static let transaction = basic("bff-tx", "tx:s%cret")
    static let resourceServer = basic("rs", "rs-secret")

    func exchange(
        _ code: String, _ changes: [String: String?] = [:], headers: [(String, String)] = [Self.bff]
    ) async throws -> Reply {
        var form = [
            "grant_type": "authorization_code", "code": code, "redirect_uri": Self.callback,
            "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { form[name] = value }
        return try await post("\(Self.oauth)/access_token", form: form.map { ($0.key, $0.value) }, headers: headers)
    }

    func refresh(
        _ token: String, _ changes: [String: String] = [:], headers: [(String, String)] = [Self.bff]
    ) async throws -> Reply {
        let form = ["grant_type": "refresh_token", "refresh_token": token].merging(changes) { $1 }
        return try await post("\(Self.oauth)/access_token", form: form.map { ($0.key, $0.value) }, headers: headers)
    }

    /// Tokens of the client `bff` for a new session of a user.
    func tokens(_ user: String = "demo", scope: String = "openid profile email") async throws -> JSONValue {
        try await exchange(code(scope: scope, session: signIn(user))).json
    }

    func introspect(_ token: String, headers: [(String, String)] = [Self.resourceServer]) async throws -> Reply {
        try await post("\(Self.oauth)/introspect", form: [("token", token)], headers: headers)
    }

    func isActive(_ token: JSONValue?) async throws -> Bool {
        try await introspect(token?.string ?? "").json["active"]?.bool == true
    }

    /// The claims of a token whose signature holds under the published keys.
    func claims(_ token: JSONValue?, _ algorithm: JWSAlgorithm = .RS256) async throws -> JSONObject {
        let keys = try JWKSet(parsing: await send(.get, "\(Self.oauth)/connect/jwk_uri").body)
        let jws = try JWS.parse(try #require(token?.string))
        _ = try jws.verify(with: keys, allowing: [algorithm])
        #expect(jws.header.type == "JWT")
        return try JWTClaims.parse(jws.payload).json
    }
}
