import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The switches of the simulator as PingAM")
struct PingSwitchesTests {
    private static let login: [String: JSONValue] = ["IDToken1": "demo", "IDToken2": .string(Realm.password)]

    private func cookie(_ reply: Realm.Reply, _ realm: Realm) -> String? {
        let prefix = realm.cookieName + "="
        return reply.headers("set-cookie").first { $0.hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count).prefix { $0 != ";" }) }
    }

    @Test("leave the tokenId of every success empty; the session is in the cookie")
    func emptyAlways() async throws {
        try await withRealm {
            $0.ping.emptyTokenID = .always
        } _: { realm in
            let end = try await realm.next(try await realm.start("Login").json, Self.login)
            #expect(end.json["tokenId"] == "")
            let session = try #require(cookie(end, realm))
            #expect(try await realm.isAlive(session))
            // Nothing is new here, so nothing says which session it is.
            let living = try await realm.start("Login", session: session)
            #expect(living.json["tokenId"] == "")
            #expect(cookie(living, realm) == nil)
            let noSession = try await realm.next(
                try await realm.start("Login").json, Self.login, [("noSession", "true")])
            #expect(noSession.json["tokenId"] == nil)
        }
    }

    @Test("leave the tokenId empty where a living session came along, and only there")
    func emptyForSessions() async throws {
        try await withRealm {
            $0.ping.emptyTokenID = .session
        } _: { realm in
            let session = try await realm.signIn()
            #expect(try await realm.start("Login", session: session).json["tokenId"] == "")
            let page = try await realm.start("StepUp", [("ForceAuth", "true")], session: session).json
            let end = try await realm.next(page, ["IDToken1": "424242"], session: session)
            #expect(end.json["tokenId"] == "")
            let upgraded = try #require(cookie(end, realm))
            #expect(upgraded != session)
            #expect(try await realm.isAlive(upgraded))
            let dead = try await realm.start("Login", session: session).json
            #expect(try await realm.next(dead, Self.login, session: session).json["tokenId"] != "")
        }
    }

    @Test("let authorize answer 401 without a living session; one that is too weak is led to the login page")
    func authorize401() async throws {
        try await withRealm {
            $0.ping.authorize401 = true
        } _: { realm in
            let session = try await realm.signIn()
            #expect(try await realm.authorize(Realm.request(), session: nil).status == 401)
            #expect(try await realm.authorize(Realm.request(), session: session + "x").status == 401)
            #expect(try await realm.authorize(Realm.request(), session: session).location?.single("code") != nil)
            let weak = Realm.request(client: "bff-tx", scope: "openid WRITE_TRANSACTION")
            #expect(try await realm.authorize(weak, session: session).location?.single("goto") != nil)
            var silent = Realm.request()
            silent["prompt"] = "none"
            #expect(try await realm.authorize(silent, session: nil).location?.single("error") == "login_required")
        }
    }

    @Test("keep sessions with the client: long, and alive after upgrade and logout, until their time")
    func clientSide() async throws {
        try await withRealm {
            $0.ping.clientSideSessions = true
        } _: { realm in
            let session = try await realm.signIn()
            #expect(session.utf8.count > 1000)
            let upgraded = try await realm.stepUp(session)
            #expect(upgraded != session)
            #expect(try await realm.isAlive(session))
            #expect(try await realm.sessions("logout", upgraded).json["result"] == "Successfully logged out")
            #expect(try await realm.isAlive(upgraded))
            #expect(try await realm.authorize(Realm.request(), session: upgraded).location?.single("code") != nil)
            realm.time.advance(by: .seconds(7201))
            #expect(try await !realm.isAlive(upgraded))
            #expect(try await realm.sessions("logout", upgraded).status == 401)
        }
    }

    @Test("spell the root realm as documented")
    func rootRealm() async throws {
        try await withRealm {
            $0.realm = "/"
        } _: { realm in
            #expect(realm.simulator.issuer == "\(realm.simulator.baseURL)/am/oauth2/realms/root")
            let json = try await realm.send(.get, "/am/oauth2/realms/root/.well-known/openid-configuration").json
            #expect(json["issuer"]?.string == realm.simulator.issuer)
            #expect(json["revocation_endpoint"] != nil)
        }
    }
}
