import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import Testing

@Suite("Introspection, revocation and userinfo of the simulator as OpenAM")
struct OpenAMTokenUseTests {
    @Test("describe the asking client's own tokens, each by its kind, and nobody else's")
    func introspection() async throws {
        try await withOpenAM { realm in
            let tokens = try await realm.openAMTokens()
            for (name, kind) in [("access_token", "access_token"), ("refresh_token", "refresh_token")] {
                let token = try #require(tokens[name]?.string)
                let reply = try await realm.introspect(token, headers: [Realm.rawBFF]).json
                #expect(
                    reply.object?.names == [
                        "sub", "user_id", "scope", "iss", "active", "token_type", "exp", "client_id",
                    ])
                #expect(reply["token_type"]?.string == kind)
                #expect(reply["sub"] == "demo")
                let foreign = try await realm.introspect(token, headers: [Realm.resourceServer])
                #expect(foreign.text == #"{"active":false}"#)
            }
            let byAddress = try await realm.send(
                .get, "\(Realm.oauth)/introspect?token=\(tokens["access_token"]?.string ?? "")",
                headers: [Realm.rawBFF])
            #expect(byAddress.json["active"] == true)
        }
    }

    @Test("answer 400 for no token, and for one under HS256 where the realm signs with key pairs")
    func unreadable() async throws {
        let symmetric = "eyJ0eXAiOiJKV1QiLCJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhIn0.AAAA"
        try await withOpenAM { realm in
            #expect(try await realm.introspect(symmetric, headers: [Realm.rawBFF]).text == #"{"active":false}"#)
            #expect(try await realm.introspect("abc", headers: [Realm.rawBFF]).text == #"{"active":false}"#)
            let none = try await realm.post("\(Realm.oauth)/introspect", form: [], headers: [Realm.rawBFF])
            #expect(none.status == 400)
            #expect(none.json["error"] == "server_error")
            let wrong = try await realm.introspect("abc", headers: [Realm.rawBasic("bff", "x")])
            #expect(wrong.status == 401)
            #expect(wrong.header("www-authenticate") == nil)
            #expect(try await realm.introspect("abc", headers: []).status == 400)
        }
        try await withOpenAM {
            $0.openAMTokenAlgorithm = .RS256
        } _: { realm in
            let reply = try await realm.introspect(symmetric, headers: [Realm.rawBFF])
            #expect(reply.status == 400)
            #expect(reply.json["error"] == "server_error")
        }
    }

    @Test("end an access token alone, with a refresh token the grant, of the own client only")
    func revocation() async throws {
        try await withOpenAM { realm in
            func revoke(_ token: String?, _ headers: [(String, String)] = [Realm.rawBFF]) async throws -> Realm.Reply {
                try await realm.post(
                    "\(Realm.oauth)/token/revoke", form: token.map { [("token", $0)] } ?? [("a", "b")],
                    headers: headers)
            }
            func isActive(_ token: JSONValue?) async throws -> Bool {
                try await realm.introspect(token?.string ?? "", headers: [Realm.rawBFF]).json["active"] == true
            }
            let tokens = try await realm.openAMTokens()
            let (access, refresh) = (tokens["access_token"], tokens["refresh_token"])
            #expect(try await revoke("made up").text == "{}")
            #expect(try await revoke(nil).json["error_description"] == "Missing parameter: token")
            let foreign = try await revoke(refresh?.string, [Realm.resourceServer])
            #expect(foreign.status == 400)
            #expect(foreign.json["error"] == "invalid_grant")
            let wrong = try await revoke(refresh?.string, [Realm.rawBasic("bff", "x")])
            #expect(wrong.status == 401)
            #expect(wrong.json["error"] == "invalid_client")
            #expect(try await revoke(access?.string).status == 200)
            #expect(try await !isActive(access))
            #expect(try await isActive(refresh))
            let next = try await realm.refresh(try #require(refresh?.string), headers: [Realm.rawBFF]).json
            #expect(try await revoke(next["refresh_token"]?.string).text == "{}")
            #expect(try await !isActive(next["access_token"]))
            #expect(try await !isActive(next["refresh_token"]))
        }
    }

    @Test("outlive the session; the killed one's tokens are refreshed")
    func killedSession() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let tokens = try await realm.openAMTokens(session: session)
            _ = try await realm.sessions("logout", session, version: nil)
            let again = try await realm.refresh(try #require(tokens["refresh_token"]?.string), headers: [Realm.rawBFF])
            #expect(again.status == 200)
        }
    }

    @Test("tell who the user is, and refuse without a challenge")
    func userinfo() async throws {
        try await withOpenAM { realm in
            func userinfo(_ token: JSONValue?) async throws -> Realm.Reply {
                try await realm.send(
                    .get, "\(Realm.oauth)/userinfo", headers: [("Authorization", "Bearer \(token?.string ?? "x")")])
            }
            let tokens = try await realm.openAMTokens()
            #expect(
                try await userinfo(tokens["access_token"]).text
                    == #"{"name":"Dana Demo","sub":"demo","given_name":"Dana","family_name":"Demo","email":"demo@example.com"}"#
            )
            let narrow = try await realm.openAMTokens(scope: "openid")
            #expect(try await userinfo(narrow["access_token"]).text == #"{"sub":"demo"}"#)
            for token in [tokens["refresh_token"], tokens["id_token"], nil] {
                let reply = try await userinfo(token)
                #expect(reply.status == 401)
                #expect(reply.json["error"] == "invalid_token")
                #expect(reply.header("www-authenticate") == nil)
            }
            let machine = try await realm.post(
                "\(Realm.oauth)/access_token",
                form: [("grant_type", "client_credentials"), ("scope", "am-introspect-all-tokens")],
                headers: [Realm.resourceServer])
            let refused = try await userinfo(machine.json["access_token"])
            #expect(refused.status == 400)
            #expect(refused.json["error"] == "unauthorized_client")
        }
    }

    @Test("end the session by its ID token")
    func endSession() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let tokens = try await realm.openAMTokens(session: session)
            let path = "\(Realm.oauth)/connect/endSession"
            #expect(try await realm.send(.get, path).json["error"] == "bad_request")
            #expect(try await realm.send(.get, "\(path)?id_token_hint=abc").json["error"] == "server_error")
            #expect(try await realm.lives(session))
            let hint = tokens["id_token"]?.string ?? ""
            #expect(try await realm.send(.get, "\(path)?id_token_hint=\(hint)").status == 204)
            #expect(try await !realm.lives(session))
        }
    }
}
