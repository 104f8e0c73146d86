import Basics
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import Testing

/// A flow of the simulated environment, by raw requests and with a jar of its own.
final class PingOneCaller {
    static let environment = "/\(PingOneSettings().environment)"
    static let authorize = environment + "/as/authorize"
    static let secrets = ["workforce": "w0rk/force+1", "workforce-tx": "w0rk:tx%"]
    static let sdk = [("x-requested-with", "ping-sdk"), ("x-requested-platform", "javascript")]

    let realm: Realm
    /// The cookies as they are to be sent.
    var jar: [String: String] = [:]
    /// The newest page.
    var page: JSONValue = .null

    init(_ realm: Realm) {
        self.realm = realm
    }

    /// The parameters of a start.
    static func request(_ client: String = "workforce", _ changes: [String: String?] = [:]) -> [(String, String)] {
        var request = Realm.request(client: client)
        request["response_mode"] = "pi.flow"
        if client == "workforce-tx" { request["scope"] = "openid WRITE_TRANSACTION" }
        for (name, value) in changes { request[name] = value }
        return request.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    var cookies: [(String, String)] {
        jar.isEmpty ? [] : [("Cookie", jar.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }.joined(separator: "; "))]
    }

    /// Forgets all cookies but those of the session.
    func leaveFlow() { jar = jar.filter { $0.key.hasPrefix("ST") } }

    func take(_ reply: Realm.Reply) -> Realm.Reply {
        for field in reply.headers("set-cookie") {
            guard let cookie = SetCookie(parsing: field) else { continue }
            jar[cookie.name] = cookie.maxAge == 0 ? nil : cookie.value
        }
        if reply.status == 200, reply.json["interactionToken"] != nil, reply.json["form"] != nil { page = reply.json }
        return reply
    }

    @discardableResult
    func start(_ client: String = "workforce", _ changes: [String: String?] = [:]) async throws -> Realm.Reply {
        let query = Realm.query(Self.request(client, changes))
        return take(try await realm.send(.get, "\(Self.authorize)?\(query)", headers: Self.sdk + cookies))
    }

    /// The body of a step.
    func body(_ values: JSONObject, _ key: String = "SIGNON", _ event: String = "submit") -> JSONObject {
        [
            "id": page["id"] ?? .null, "eventName": page["eventName"] ?? "continue",
            "interactionId": page["interactionId"] ?? .null,
            "parameters": [
                "eventType": .string(event), "data": ["actionKey": .string(key), "formData": .object(values)],
            ],
        ]
    }

    var interaction: [(String, String)] {
        ["interactionId", "interactionToken"].map { ($0, page[$0]?.string ?? "") }
    }

    func path(_ link: String) throws -> String {
        let address = try #require(page["_links"]?[link]?["href"]?.string)
        return try #require(WebURL(address)).path
    }

    @discardableResult
    func next(_ values: JSONObject, _ key: String = "SIGNON", _ event: String = "submit") async throws -> Realm.Reply {
        try await send(body(values, key, event))
    }

    @discardableResult
    func send(_ body: JSONObject, headers: [(String, String)]? = nil) async throws -> Realm.Reply {
        let headers = headers ?? Self.sdk + interaction + cookies
        return take(try await realm.post(try path("next"), json: .object(body), headers: headers))
    }

    static let demo: JSONObject = ["username": "demo", "password": .string(Realm.password)]

    /// The code of a sign-in by `SignOn`.
    @discardableResult
    func signIn(_ user: String = "demo", _ changes: [String: String?] = [:]) async throws -> String {
        leaveFlow()
        try await start("workforce", changes)
        let reply = try await next(["username": .string(user), "password": .string(Realm.password)])
        return try #require(reply.json["authorizeResponse"]?["code"]?.string)
    }

    func token(_ form: [(String, String)], _ client: String = "workforce") async throws -> Realm.Reply {
        let secret = Self.secrets[client].map { [Realm.basic(client, $0)] } ?? []
        return try await realm.post(
            Self.environment + "/as/token", form: form + (secret.isEmpty ? [("client_id", client)] : []),
            headers: secret)
    }

    func exchange(_ code: String, _ client: String = "workforce") async throws -> Realm.Reply {
        try await token(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Realm.callback),
                ("code_verifier", Realm.verifier),
            ], client)
    }

    /// The claims of a token whose signature holds under the published keys, and which has no `typ`.
    func claims(_ token: JSONValue?) async throws -> JSONObject {
        let keys = try JWKSet(parsing: await realm.send(.get, Self.environment + "/as/jwks").body)
        let jws = try JWS.parse(try #require(token?.string))
        _ = try jws.verify(with: keys, allowing: [.RS256])
        #expect(jws.header.type == nil)
        return try JWTClaims.parse(jws.payload).json
    }

    /// The types of the fields of the page.
    var types: [String] {
        (page["form"]?["components"]?["fields"]?.array ?? []).map { $0["type"]?.string ?? "" }
    }
}

extension Realm {
    /// What was refused, which has to be said by the tests that mean it.
    func expectRefusals(_ expected: [String: Int] = [:], _ location: SourceLocation = #_sourceLocation) {
        #expect(simulator.refusals == expected, sourceLocation: location)
        meant.withLock { meant in meant.merge(expected) { max($0, $1) } }
    }

    /// Warnings that were counted, which have to be said by the tests that mean them.
    func expectWarnings(_ expected: [String: Int] = [:], _ location: SourceLocation = #_sourceLocation) {
        #expect(simulator.warnings == expected, sourceLocation: location)
        meant.withLock { meant in meant.merge(expected) { max($0, $1) } }
    }
}
