import BFF
import BFFAPI
import Basics
import Cloakroom
import Cryptography
import EventLoop
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import JSON
import Logs
import ResourceServer
import StorageKit
import TestSupport
import Testing

@Suite("A server with issuers and no clients", .timeLimit(.minutes(2)))
struct ResourceServerOnlyTests {
    /// An issuer on loopback, and the server beside it.
    private func withServer(
        _ headerBytes: Int = 48 << 10, qualified: Bool = false,
        _ body: (_ ask: (String, String) async throws -> ClientResponse, SigningKey, String) async throws -> Void
    ) async throws {
        let key = try SigningKey.generate(.ES512, keyID: "k1")
        let origin = Locked("")
        let keys = JWKSet([key.jwk]).json.text
        let provider = try Listener(ListenerSettings(address: "127.0.0.1", port: 0), logger: .silent) { request in
            let home = origin.withLock { $0 }
            let text =
                request.path == "/keys" ? keys : #"{"issuer":"\#(home)","jwks_uri":"\#(home)/keys"}"#
            return ServerResponse(
                status: 200, headers: [ResponseHeader("Content-Type", "application/json")], body: Array(text.utf8))
        }
        try provider.start()
        let issuer = "http://127.0.0.1:\(provider.port)"
        origin.withLock { $0 = issuer }
        let discovery = try #require(WebURL(issuer + "/.well-known/openid-configuration"))
        var admin = ListenerSettings(address: "127.0.0.1", port: 0)
        admin.limits.headerBytes = headerBytes
        var settings = Settings(
            listener: ListenerSettings(address: "127.0.0.1", port: 0), admin: admin,
            api: APISettings(publicURL: try #require(WebURL("https://api.example.com"))),
            keys: try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), clients: [],
            requirements: [Requirement(name: "batch", scopes: ["read"], machines: true)],
            issuers: [try TrustedIssuer(issuer: issuer, discovery: discovery, profile: .rfc9068, audiences: ["api"])])
        settings.qualifiesSubjects = qualified
        let server = try Server(settings, logger: .silent)
        try server.start()
        let events = try EventThread(name: "test")
        let client = try CurlTransport(HTTPClientSettings(), thread: events, logger: .silent)
        let base = "http://127.0.0.1:\(server.adminPort ?? 0)"
        try await body(
            { requirement, token in
                let address = try #require(WebURL(base + "/authz/" + requirement))
                return try await client.send(
                    ClientRequest(
                        .get, address, fields: [HTTPField(.authorization, known: "Bearer \(token)")]),
                    deadline: .now + .seconds(30))
            }, key, issuer)
        await client.shutdown()
        await events.stop()
        await server.stop()
        await provider.stop(grace: .zero)
    }

    private func claims(_ issuer: String, _ changes: [(String, JSONValue?)] = []) -> JSONObject {
        let now = SystemTime().now().seconds
        var claims: JSONObject = [
            "iss": .string(issuer), "sub": "demo", "aud": "api", "client_id": "spa", "jti": "j", "scope": "read",
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 300)),
        ]
        for (name, value) in changes { claims[name] = value }
        return claims
    }

    @Test("starts, and judges tokens of users and of machines")
    func judges() async throws {
        try await withServer { ask, key, issuer in
            let user = try key.sign(claims: claims(issuer), type: "at+jwt")
            let allowed = try await ask("signed-in", user)
            #expect(allowed.status == 204)
            let machine = try key.sign(claims: claims(issuer, [("sub", "spa")]), type: "at+jwt")
            for _ in 0..<2 {
                let refused = try await ask("signed-in", machine)
                #expect(refused.status == 403)
                #expect(String(decoding: refused.body, as: UTF8.self).contains("of a client"))
                let batch = try await ask("batch", machine)
                #expect(batch.status == 204)
                #expect(batch.fields[try HTTPField.Name(checking: "X-Auth-Client")] == "spa")
                #expect(batch.fields[try HTTPField.Name(checking: "X-Auth-Subject")] == "")
            }
            #expect(try await ask("batch", user).status == 204)
        }
    }

    @Test("names a user behind the issuer where that is said, and a machine as ever", arguments: [false, true])
    func qualified(isSaid: Bool) async throws {
        try await withServer(qualified: isSaid) { ask, key, issuer in
            func answer(_ changes: [(String, JSONValue?)]) async throws -> [String?] {
                let answer = try await ask("batch", try key.sign(claims: claims(issuer, changes), type: "at+jwt"))
                let names = try ["X-Auth-Subject", "X-Auth-Client"].map { try HTTPField.Name(checking: $0) }
                return names.map { answer.fields[$0] }
            }
            let front = isSaid ? issuer + "#" : ""
            for (changes, expected) in [
                ([], [front + "demo", "spa"]), ([("sub", "a#b")], [front + "a#b", "spa"]),
                ([("sub", "spa")], ["", "spa"]),
            ] as [([(String, JSONValue?)], [String?])] {
                let found = try await answer(changes)
                #expect(found == expected)
            }
        }
    }

    @Test("takes tokens of 20 kB on the admin listener, and what the limits say and no more")
    func long() async throws {
        let filler = JSONValue.string(String(repeating: "x", count: 15_000))
        for (bytes, status) in [(48 << 10, 204), (8 << 10, 431)] {
            try await withServer(bytes) { ask, key, issuer in
                let token = try key.sign(claims: claims(issuer, [("filler", filler)]), type: "at+jwt")
                #expect(token.utf8.count > 20_000)
                #expect(try await ask("signed-in", token).status == status)
            }
        }
    }

    @Test("asks callers to wait when the issuer publishes a key that it does not know yet")
    func unknownKey() async throws {
        try await withServer { ask, key, issuer in
            #expect(try await ask("signed-in", try key.sign(claims: claims(issuer), type: "at+jwt")).status == 204)
            var answers: [ClientResponse] = []
            for number in 0..<8 {
                let token = try key.sign(
                    claims: claims(issuer), type: "at+jwt", extraHeader: ["kid": .string("n\(number)")])
                answers.append(try await ask("signed-in", token))
            }
            // Six looks for everybody, one more for whoever was right before, and then it is too early.
            #expect(answers.map(\.status) == Array(repeating: 401, count: 7) + [503])
            let wait = answers.last?.fields[.retryAfter].flatMap { Int($0) } ?? 0
            #expect(1...5 ~= wait)
        }
    }
}
