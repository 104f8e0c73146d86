import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A pushed authorization request to the simulated AM")
struct SimulatedPushTests {
    private static func parameters(_ changes: [String: String] = [:]) -> [(String, String)] {
        var all = [
            "client_id": "bff", "redirect_uri": "https://app.example.com/callback", "response_type": "code",
            "scope": "openid", "state": "st", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
            "code_challenge_method": "S256",
        ]
        for (name, value) in changes { all[name] = value }
        return all.map { ($0.key, $0.value) }
    }

    private static func push(_ realm: Realm, _ changes: [String: String] = [:]) async throws -> Realm.Reply {
        try await realm.post(
            "\(Realm.oauth)/par", form: parameters(changes), headers: [Realm.bff])
    }

    private static func authorize(_ realm: Realm, _ parameters: [(String, String)]) async throws -> Realm.Reply {
        try await realm.send(.get, "\(Realm.oauth)/authorize?\(Realm.query(parameters))")
    }

    @Test func `is good once, for its client, for a minute, and alone where the realm requires it`() async throws {
        try await withRealm {
            $0.requiresPushedRequests = true
        } _: { realm in
            let document = try await realm.send(.get, "\(Realm.oauth)/.well-known/openid-configuration").json
            #expect(document["require_pushed_authorization_requests"] == true)
            #expect(document["pushed_authorization_request_endpoint"]?.string?.hasSuffix("/par") == true)
            #expect(try await Self.authorize(realm, Self.parameters()).json["error"] == "invalid_request")
            let pushed = try await Self.push(realm)
            #expect(pushed.status == 201, "\(pushed.json.text)")
            let uri = try #require(pushed.json["request_uri"]?.string)
            // Nobody is signed in: the login page.
            #expect(try await Self.authorize(realm, [("client_id", "bff"), ("request_uri", uri)]).status == 302)
            let again = try await Self.authorize(realm, [("client_id", "bff"), ("request_uri", uri)])
            #expect(again.status == 400 && again.json["error"] == "invalid_request_uri")
            let other = try #require(try await Self.push(realm).json["request_uri"]?.string)
            #expect(try await Self.authorize(realm, [("client_id", "bff-tx"), ("request_uri", other)]).status == 400)
            let late = try #require(try await Self.push(realm).json["request_uri"]?.string)
            realm.time.advance(by: .seconds(61))
            #expect(try await Self.authorize(realm, [("client_id", "bff"), ("request_uri", late)]).status == 400)
        }
    }

    @Test func `counts for all of its parameters; others beside it are ignored`() async throws {
        try await withRealm { realm in
            func authorize(_ more: [(String, String)]) async throws -> Realm.Reply {
                let uri = try #require(try await Self.push(realm).json["request_uri"]?.string)
                return try await Self.authorize(realm, [("client_id", "bff"), ("request_uri", uri)] + more)
            }
            #expect(try await authorize([("scope", "openid")]).status == 302)
            realm.expectWarnings()
            let beside = try await authorize([("scope", "openid unknown")])
            #expect(beside.status == 302 && beside.location?.single("goto")?.contains("unknown") == false)
            realm.expectWarnings(["parameters-beside-request-uri": 1])
        }
    }

    @Test func `is refused as JSON where it could not be authorized, or the client is unknown`() async throws {
        try await withRealm { realm in
            for (changes, code) in [
                (["scope": "openid unknown"], "invalid_scope"), (["code_challenge": "x"], "invalid_request"),
                (["redirect_uri": "https://x.example/"], "redirect_uri_mismatch"),
                (["response_type": "token"], "unsupported_response_type"),
                (["request_uri": "urn:x"], "invalid_request"),
            ] {
                let refused = try await Self.push(realm, changes)
                #expect(refused.status == 400 && refused.json["error"]?.string == code, "\(changes)")
            }
            let unknown = try await realm.post(
                "\(Realm.oauth)/par", form: Self.parameters(), headers: [Realm.basic("bff", "wrong")])
            #expect(unknown.json["error"] == "invalid_client")
            #expect(try await realm.send(.get, "\(Realm.oauth)/par").status == 405)
        }
    }
}
