import Basics
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A refresh token of the simulator")
struct RefreshTests {
    @Test("is replaced at each use; acr and auth_time stay as they were")
    func rotation() async throws {
        try await withRealm { realm in
            let first = try await realm.tokens()
            realm.time.advance(by: .seconds(100))
            let second = try await realm.refresh(try #require(first["refresh_token"]?.string)).json
            #expect(second["refresh_token"]?.string?.isEmpty == false)
            #expect(second["refresh_token"] != first["refresh_token"])
            #expect(second["access_token"] != first["access_token"])
            let (before, after) = (
                try await realm.claims(first["id_token"]), try await realm.claims(second["id_token"])
            )
            for name in ["sub", "iss", "aud", "auth_time", "acr", "amr", "sid"] { #expect(before[name] == after[name]) }
            #expect(after["nonce"] == nil)
            #expect(after["iat"]?.int == before["iat"]?.int.map { $0 + 100 })
            #expect(try await realm.refresh(try #require(second["refresh_token"]?.string)).status == 200)
        }
    }

    @Test("used twice ends the whole grant")
    func reuse() async throws {
        try await withRealm { realm in
            let first = try await realm.tokens()
            let token = try #require(first["refresh_token"]?.string)
            let second = try await realm.refresh(token).json
            let reuse = try await realm.refresh(token)
            #expect(reuse.status == 400)
            #expect(reuse.json["error"] == "invalid_grant")
            #expect(
                try await realm.refresh(try #require(second["refresh_token"]?.string)).json["error"] == "invalid_grant")
            for tokens in [first, second] { #expect(try await !realm.isActive(tokens["access_token"])) }
        }
    }

    @Test("used by eight at once ends the grant, though one of them is served")
    func parallel() async throws {
        try await withRealm { realm in
            let token = try #require(try await realm.tokens()["refresh_token"]?.string)
            let replies = try await withThrowingTaskGroup(of: Realm.Reply.self) { group in
                for _ in 0..<8 { group.addTask { try await realm.refresh(token) } }
                return try await group.reduce(into: [Realm.Reply]()) { $0.append($1) }
            }
            let served = replies.filter { $0.status == 200 }
            #expect(served.count == 1)
            #expect(try await !realm.isActive(served.first?.json["access_token"]))
        }
    }

    @Test("is taken again within the grace period")
    func grace() async throws {
        try await withRealm {
            $0.refreshGrace = .seconds(10)
        } _: { realm in
            let token = try #require(try await realm.tokens()["refresh_token"]?.string)
            #expect(try await realm.refresh(token).status == 200)
            realm.time.advance(by: .seconds(9))
            #expect(try await realm.refresh(token).status == 200)
            realm.time.advance(by: .seconds(1))
            #expect(try await realm.refresh(token).status == 400)
        }
    }

    @Test("stays the same without rotation, and the answer has none")
    func noRotation() async throws {
        try await withRealm {
            $0.clients[0].rotatesRefreshTokens = false
        } _: { realm in
            let tokens = try await realm.tokens()
            // Without rotation there still is a first one.
            let token = try #require(tokens["refresh_token"]?.string)
            for _ in 0..<3 {
                let reply = try await realm.refresh(token)
                #expect(reply.status == 200)
                #expect(reply.json["refresh_token"] == nil)
            }
        }
    }

    @Test("ends after its lifetime")
    func expiry() async throws {
        try await withRealm { realm in
            let token = try #require(try await realm.tokens()["refresh_token"]?.string)
            realm.time.advance(by: .seconds(604_800))
            #expect(try await realm.refresh(token).json["error"] == "invalid_grant")
        }
    }

    @Test("gives fewer scopes when asked, never more")
    func scopes() async throws {
        try await withRealm { realm in
            let token = try #require(try await realm.tokens(scope: "openid profile")["refresh_token"]?.string)
            #expect(try await realm.refresh(token, ["scope": "openid email"]).json["error"] == "invalid_scope")
            let narrow = try await realm.refresh(token, ["scope": "openid"]).json
            #expect(narrow["scope"] == "openid")
            let wide = try await realm.refresh(try #require(narrow["refresh_token"]?.string)).json
            #expect(wide["scope"] == "openid profile")
        }
    }

    @Test("is nothing in other hands, and nothing else is one")
    func foreign() async throws {
        try await withRealm { realm in
            let tokens = try await realm.tokens()
            let token = try #require(tokens["refresh_token"]?.string)
            #expect(try await realm.refresh(token, headers: [Realm.transaction]).json["error"] == "invalid_grant")
            #expect(try await realm.refresh(token, headers: []).json["error"] == "invalid_client")
            let access = try #require(tokens["access_token"]?.string)
            #expect(try await realm.refresh(access).json["error"] == "invalid_grant")
            #expect(try await realm.refresh("guess").json["error"] == "invalid_grant")
            #expect(try await realm.refresh(token).status == 200)
        }
    }

    @Test("outlives the session, but not the end of the grant")
    func lifetimes() async throws {
        try await withRealm { realm in
            let tokens = try await realm.tokens()
            realm.simulator.endSessions()
            let second = try await realm.refresh(try #require(tokens["refresh_token"]?.string)).json
            let token = try #require(second["refresh_token"]?.string)
            realm.simulator.endGrants(of: "alice")
            #expect(try await realm.isActive(second["access_token"]))
            realm.simulator.endGrants(of: "demo")
            #expect(try await realm.refresh(token).json["error"] == "invalid_grant")
        }
    }
}
