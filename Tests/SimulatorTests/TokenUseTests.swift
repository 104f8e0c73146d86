import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("A token of the simulator in use")
struct TokenUseTests {
    private func userinfo(_ realm: Realm, _ token: JSONValue?) async throws -> Realm.Reply {
        let credentials = token?.string.map { "Bearer \($0)" } ?? "Bearer"
        return try await realm.send(.get, "\(Realm.oauth)/userinfo", headers: [("Authorization", credentials)])
    }

    @Test("tells about the user as far as its scopes go")
    func userinfo() async throws {
        try await withRealm { realm in
            let all = try await userinfo(realm, realm.tokens("alice")["access_token"]).json
            #expect(all["sub"] == "(usr!alice)")
            #expect(all["name"] == "Alice Ames")
            #expect(all["email"] == "alice@example.com")
            let little = try await userinfo(realm, realm.tokens("alice", scope: "openid")["access_token"]).json
            #expect(little.object?.names == ["sub", "subname"])
        }
    }

    @Test("is refused when it is no valid access token")
    func refused() async throws {
        try await withRealm { realm in
            let tokens = try await realm.tokens()
            for token in [tokens["refresh_token"], tokens["id_token"], "guess", nil] {
                let reply = try await userinfo(realm, token)
                #expect(reply.status == 401)
                #expect(reply.header("www-authenticate")?.contains("realm=\"/alpha\"") == true)
            }
            #expect(try await realm.send(.get, "\(Realm.oauth)/userinfo").status == 401)
            realm.time.advance(by: .seconds(3600))
            #expect(try await userinfo(realm, tokens["access_token"]).json["error"] == "invalid_token")
        }
    }

    @Test(
        "is introspected in every shape that is found in the field",
        arguments: SimulatorSettings.IntrospectionShape.allCases)
    func shapes(_ shape: SimulatorSettings.IntrospectionShape) async throws {
        try await withRealm {
            $0.introspection = shape
        } _: { realm in
            realm.time.advance(by: .seconds(1))
            let session = try await realm.stepUp(realm.signIn())
            let code = try await realm.code(client: "bff-tx", scope: "openid WRITE_TRANSACTION", session: session)
            let tokens = try await realm.exchange(code, headers: [Realm.transaction]).json
            realm.time.advance(by: .seconds(10))
            let json = try await realm.introspect(try #require(tokens["access_token"]?.string)).json
            #expect(json["active"] == true)
            #expect(json["client_id"] == "bff-tx")
            let array: JSONValue = ["openid", "WRITE_TRANSACTION"]
            #expect(json["scope"] == ([.scopeArray, .levelText].contains(shape) ? array : "openid WRITE_TRANSACTION"))
            #expect(json["auth_level"] == (shape == .minimal ? nil : shape == .levelText ? "3" : 3))
            #expect(
                json["amr"] == (shape == .minimal ? nil : shape == .levelText ? "biometric" : ["Login", "biometric"]))
            #expect(json["aud"] == (shape == .minimal ? nil : shape == .audienceArray ? ["bff-tx"] : "bff-tx"))
            if shape != .minimal {
                #expect(json["expires_in"] == 3590)
                #expect(json["acr"] == "gold")
            }
        }
    }

    @Test("is inactive for all who have no business with it")
    func inactive() async throws {
        try await withRealm { realm in
            let tokens = try await realm.tokens()
            let access = try #require(tokens["access_token"]?.string)
            #expect(try await realm.introspect(access, headers: [Realm.bff]).json["active"] == true)
            #expect(
                try await realm.introspect(access, headers: [Realm.transaction]).text == #"{"active":false}"#)
            for token in ["guess", "", tokens["id_token"]?.string ?? ""] {
                #expect(try await realm.introspect(token).text == #"{"active":false}"#)
            }
            let denied = try await realm.introspect(access, headers: [Realm.basic("rs", "wrong")])
            #expect(denied.status == 401)
            #expect(denied.json["error"] == "invalid_client")
            #expect(try await realm.introspect(access, headers: []).status == 400)
            #expect(try await realm.send(.get, "\(Realm.oauth)/introspect?token=\(access)").status == 405)
            realm.time.advance(by: .seconds(3600))
            #expect(try await realm.introspect(access).text == #"{"active":false}"#)
        }
    }

    @Test("is revoked: an access token alone, a refresh token with all that hangs on it")
    func revoke() async throws {
        try await withRealm { realm in
            func revoke(_ token: JSONValue?, _ headers: [(String, String)] = [Realm.bff]) async throws -> Realm.Reply {
                try await realm.post(
                    "\(Realm.oauth)/token/revoke", form: [("token", token?.string ?? "")], headers: headers)
            }
            let tokens = try await realm.tokens()
            for token in [tokens["access_token"], tokens["refresh_token"]] {
                let foreign = try await revoke(token, [Realm.transaction])
                #expect(foreign.status == 400 && foreign.json["error"] == "invalid_grant")
                #expect(try await realm.isActive(token))
            }
            #expect(try await revoke(tokens["access_token"]).text == "{}")
            #expect(try await !realm.isActive(tokens["access_token"]))
            #expect(try await realm.isActive(tokens["refresh_token"]))
            let second = try await realm.refresh(try #require(tokens["refresh_token"]?.string)).json
            #expect(try await revoke(second["refresh_token"]).status == 200)
            #expect(try await !realm.isActive(second["access_token"]))
            #expect(try await revoke("guess").status == 200)
            #expect(try await revoke(second["refresh_token"], []).status == 400)
            #expect(try await revoke(second["refresh_token"], [Realm.basic("bff", "wrong")]).status == 401)
        }
    }

    @Test("ends the session by its hint, and leads to registered addresses only")
    func endSession() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let tokens = try await realm.exchange(realm.code(session: session)).json
            func end(_ parameters: [(String, String)]) async throws -> Realm.Reply {
                try await realm.send(.get, "\(Realm.oauth)/connect/endSession?\(Realm.query(parameters))")
            }
            let hint = try #require(tokens["id_token"]?.string)
            let access = try #require(tokens["access_token"]?.string)
            let refused: [[(String, String)]] = [
                [], [("id_token_hint", "a.b.c")], [("id_token_hint", access)], [("id_token_hint", hint + "x")],
                [("id_token_hint", hint), ("client_id", "spa")],
                [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example/")],
            ]
            for parameters in refused {
                let reply = try await end(parameters)
                #expect(reply.status == 400)
                #expect(reply.header("location") == nil)
            }
            #expect(try await realm.isAlive(session))
            let reply = try await end([
                ("id_token_hint", hint), ("post_logout_redirect_uri", "https://app.example.com/"), ("state", "a b"),
            ])
            #expect(reply.header("location") == "https://app.example.com/?state=a%20b")
            #expect(try await !realm.isAlive(session))
            #expect(try await end([("id_token_hint", hint)]).status == 200)
        }
    }
}
