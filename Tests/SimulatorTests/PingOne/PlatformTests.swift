import Basics
import Cryptography
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import TestSupport
import Testing

@Suite("The OpenID provider of the simulated PingOne environment")
struct PlatformTests {
    private static let environment = PingOneCaller.environment

    @Test func `announces flows, pushed requests and both ends of a session`() async throws {
        try await withRealm { realm in
            let document = try await realm.send(
                .get, Self.environment + "/as/.well-known/openid-configuration"
            ).json
            let issuer = realm.simulator.baseURL + Self.environment + "/as"
            #expect(document["issuer"]?.string == issuer && realm.simulator.pingOneIssuer == issuer)
            #expect(document["response_modes_supported"]?[0] == "pi.flow")
            for (name, path) in [
                ("authorization_endpoint", "authorize"), ("pushed_authorization_request_endpoint", "par"),
                ("end_session_endpoint", "signoff"), ("ping_end_idp_session_endpoint", "idpSignoff"),
                ("revocation_endpoint", "revoke"), ("introspection_endpoint", "introspect"),
                ("userinfo_endpoint", "userinfo"), ("jwks_uri", "jwks"),
            ] { #expect(document[name]?.string == "\(issuer)/\(path)") }
        }
    }

    @Test func `starts by GET, by a form, and by POST with everything in the query`() async throws {
        try await withRealm { realm in
            let query = Realm.query(PingOneCaller.request())
            let path = PingOneCaller.authorize
            let replies = [
                try await realm.send(.get, "\(path)?\(query)", headers: PingOneCaller.sdk),
                try await realm.post(path, form: PingOneCaller.request(), headers: PingOneCaller.sdk),
                try await realm.send(.post, "\(path)?\(query)", headers: PingOneCaller.sdk),
            ]
            for reply in replies { #expect(reply.status == 200 && reply.json["form"]?["name"] == "Sign On") }
            let both = try await realm.post("\(path)?\(query)", form: [("prompt", "login")], headers: PingOneCaller.sdk)
            #expect(both.status == 400)
            realm.expectRefusals()
        }
    }

    private static let unsoundStarts: [([String: String?], Int, String?)] = [
        (["redirect_uri": "https://evil.example/"], 400, "INVALID_DATA"),
        (["acr_values": "Nothing"], 400, "INVALID_REQUEST"),
        (["acr_values": "SignOn SignOnForms"], 400, "INVALID_REQUEST"),
        (["code_challenge": nil], 400, "INVALID_DATA"), (["code_challenge_method": "plain"], 400, "INVALID_DATA"),
        (["response_type": "token"], 400, "INVALID_DATA"), (["prompt": "none login"], 400, "INVALID_DATA"),
        (["max_age": "-1"], 400, "INVALID_DATA"), (["client_id": "nobody"], 302, nil),
        (["response_mode": "query"], 302, nil), (["scope": "openid WRITE_TRANSACTION"], 200, nil),
    ]

    @Test("refuses a start that is not sound", arguments: unsoundStarts)
    func unsound(_ changes: [String: String?], _ status: Int, _ code: String?) async throws {
        try await withRealm { realm in
            let reply = try await PingOneCaller(realm).start("workforce", changes)
            #expect(reply.status == status && reply.json["code"]?.string == code)
            if status == 200 {
                #expect(reply.json["status"] == "FAILED" && reply.json["error"]?["code"] == "invalid_scope")
            }
            if status == 302 { #expect(reply.location?.single("error") != nil) }
            if changes["redirect_uri"] != nil { #expect(reply.json["details"]?[0]?["target"] == "redirect_uri") }
        }
    }

    @Test func `answers applications without a DaVinci policy in three ways`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let native = try await caller.start("workforce-native")
            #expect(native.status == 200 && native.json["resumeUrl"] != nil && native.json["form"] == nil)
            #expect(try await caller.start("workforce-page").status == 302)
            let broken = try await caller.start("workforce-broken")
            #expect(broken.status == 500 && broken.json["code"] == "UNEXPECTED_ERROR")
        }
    }

    @Test func `takes what was pushed, once, from the client that pushed it, and nothing beside it`() async throws {
        try await withRealm { realm in
            let headers = [Realm.basic("workforce", "w0rk/force+1")]
            func push(_ changes: [String: String?] = [:]) async throws -> Realm.Reply {
                try await realm.post(
                    Self.environment + "/as/par", form: PingOneCaller.request("workforce", changes), headers: headers)
            }
            func start(_ uri: String, _ more: [(String, String)] = [], client: String = "workforce") async throws
                -> Realm.Reply
            {
                let query = Realm.query(
                    [("response_mode", "pi.flow"), ("request_uri", uri), ("client_id", client)] + more)
                return try await realm.send(.get, "\(PingOneCaller.authorize)?\(query)", headers: PingOneCaller.sdk)
            }
            let pushed = try await push(["login_hint": "alice"])
            #expect(pushed.status == 201 && pushed.json["expires_in"] == 60)
            let uri = try #require(pushed.json["request_uri"]?.string)
            let page = try await start(uri, [("login_hint", "bob")])
            #expect(page.json["formData"]?["value"]?["username"] == "alice")
            realm.expectWarnings(["parameters-beside-request-uri": 1])
            // Ping's client pushes no response_mode, and repeats the prompt that it has pushed.
            let bare = try #require(
                try await push(["response_mode": nil, "prompt": "login"]).json["request_uri"]?.string)
            #expect(try await start(bare, [("prompt", "login")]).json["form"] != nil)
            realm.expectWarnings(["parameters-beside-request-uri": 1])
            #expect(try await start(uri).status == 400)
            let other = try #require(try await push().json["request_uri"]?.string)
            #expect(try await start(other, client: "workforce-spa").status == 400)
            let late = try #require(try await push().json["request_uri"]?.string)
            realm.time.advance(by: .seconds(61))
            #expect(try await start(late).status == 400)
            for (changes, code) in [
                (["acr_values": "Nothing"], "invalid_request"), (["response_mode": "query"], "invalid_request"),
                (["scope": "openid unknown"], "invalid_scope"),
                (["redirect_uri": "https://x.example/"], "invalid_request"),
            ] {
                let refused = try await push(changes)
                #expect(refused.status == 400 && refused.json["error"]?.string == code, "\(changes)")
            }
            #expect(try await push(["request_uri": "urn:x"]).status == 400)
            let unknown = try await realm.post(Self.environment + "/as/par", form: PingOneCaller.request())
            #expect(unknown.json["error"] == "invalid_client")
        }
    }

    @Test func `makes tokens as PingOne does`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let code = try await caller.signIn()
            let reply = try await caller.exchange(code)
            #expect(reply.status == 200)
            let access = try await caller.claims(reply.json["access_token"])
            let identity = try await caller.claims(reply.json["id_token"])
            for claims in [access, identity] {
                #expect(claims["iss"]?.string == realm.simulator.pingOneIssuer)
                #expect(claims["acr"] == "SignOn" && claims["auth_time"]?.int == realm.time.now().seconds)
                #expect(claims["sub"]?.string?.count == 36 && claims["sid"]?.string?.isEmpty == false)
                #expect(claims["auth_level"] == nil)
            }
            #expect(identity["aud"] == "workforce" && identity["nonce"] == "n-0S6" && identity["amr"] == ["pwd"])
            let hash = Digest.hash(utf8: reply.json["access_token"]?.string ?? "").prefix(16)
            #expect(identity["at_hash"]?.string == Base64URL.encode(hash))
            #expect(access["aud"] == ["https://ledger.example.com"] && access["client_id"] == "workforce")
            #expect(access["scope"] == "openid profile email" && access["nonce"] == nil && access["at_hash"] == nil)
            // A code is good once, and the second attempt ends what came of the first.
            #expect(try await caller.exchange(code).json["error"] == "invalid_grant")
            let userinfo = try await realm.send(
                .get, Self.environment + "/as/userinfo",
                headers: [("Authorization", "Bearer " + (reply.json["access_token"]?.string ?? ""))])
            #expect(userinfo.status == 401)
        }
    }

    @Test func `wants the verifier of PKCE, and the client of the code`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let code = try await caller.signIn()
            let form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Realm.callback)]
            #expect(try await caller.token(form).json["error"] == "invalid_request")
            #expect(try await caller.exchange(code, "workforce-tx").json["error"] == "invalid_grant")
            let wrong = form + [("code_verifier", String(repeating: "a", count: 43))]
            #expect(try await caller.token(wrong).json["error"] == "invalid_grant")
            #expect(try await caller.exchange(code).json["error"] == "invalid_grant")
        }
    }

    @Test func `gives another refresh token for each, and ends the grant when one comes twice`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let first = try await caller.exchange(caller.signIn()).json
            func refresh(_ token: JSONValue?) async throws -> JSONValue {
                try await caller.token([("grant_type", "refresh_token"), ("refresh_token", token?.string ?? "")]).json
            }
            let second = try await refresh(first["refresh_token"])
            #expect(second["refresh_token"] != nil && second["refresh_token"] != first["refresh_token"])
            let identity = try await caller.claims(second["id_token"])
            #expect(identity["nonce"] == nil && identity["acr"] == "SignOn")
            #expect(try await refresh(first["refresh_token"])["error"] == "invalid_grant")
            #expect(try await refresh(second["refresh_token"])["error"] == "invalid_grant")
        }
    }

    @Test func `says who a token is for, until it is revoked`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let tokens = try await caller.exchange(caller.signIn("alice")).json
            let token = tokens["access_token"]?.string ?? ""
            func userinfo() async throws -> Realm.Reply {
                try await realm.send(
                    .get, Self.environment + "/as/userinfo", headers: [("Authorization", "Bearer " + token)])
            }
            let claims = try await userinfo().json
            #expect(claims["preferred_username"] == "alice" && claims["email"] == "alice@example.com")
            #expect(claims["sub"] == (try await caller.claims(tokens["id_token"]))["sub"])
            let foreign = try await realm.post(
                Self.environment + "/as/revoke", form: [("token", token)],
                headers: [Realm.basic("workforce-tx", "w0rk:tx%")])
            #expect(foreign.status == 400 && foreign.json["error"] == "invalid_grant")
            #expect(try await userinfo().status == 200)
            let revoked = try await realm.post(
                Self.environment + "/as/revoke", form: [("token", tokens["refresh_token"]?.string ?? "")],
                headers: [Realm.basic("workforce", "w0rk/force+1")])
            #expect(revoked.status == 200)
            #expect(try await userinfo().status == 401)
            realm.expectRefusals()
        }
    }

    @Test func `describes a token to the client that it was issued to`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let tokens = try await caller.exchange(caller.signIn()).json
            let own = Realm.basic("workforce", "w0rk/force+1")
            func introspect(_ name: String, _ credentials: (String, String)) async throws -> Realm.Reply {
                try await realm.post(
                    Self.environment + "/as/introspect", form: [("token", tokens[name]?.string ?? "")],
                    headers: [credentials])
            }
            let access = try await introspect("access_token", own).json
            #expect(access["active"] == true && access["client_id"] == "workforce" && access["acr"] == nil)
            #expect(access["sub"] == (try await caller.claims(tokens["id_token"]))["sub"])
            #expect(access["aud"] == ["https://ledger.example.com"] && access["scope"] == "openid profile email")
            #expect(access["iss"]?.string == realm.simulator.pingOneIssuer)
            #expect(try await introspect("refresh_token", own).json["active"] == true)
            #expect(try await introspect("id_token", own).text == #"{"active":false}"#)
            let other = Realm.basic("workforce-tx", "w0rk:tx%")
            #expect(try await introspect("access_token", other).text == #"{"active":false}"#)
            #expect(try await introspect("access_token", Realm.basic("workforce", "wrong")).status == 401)
        }
    }

    @Test func `has keys of its own, which change with those of the realm beside it`() async throws {
        try await withRealm { realm in
            func ids(_ path: String) async throws -> Set<String> {
                let keys = try JWKSet(parsing: await realm.send(.get, path).body)
                return Set(keys.keys.compactMap(\.id))
            }
            let paths = ["\(Realm.oauth)/connect/jwk_uri", Self.environment + "/as/jwks"]
            let before = [try await ids(paths[0]), try await ids(paths[1])]
            #expect(before[0].count == 2 && before[1].count == 2 && before[0].isDisjoint(with: before[1]))
            try realm.simulator.rotateKeys()
            let after = [try await ids(paths[0]), try await ids(paths[1])]
            #expect(after[0].isStrictSuperset(of: before[0]) && after[1].isStrictSuperset(of: before[1]))
            #expect(after[0].isDisjoint(with: after[1]))
        }
    }

    @Test func `has keys, sessions and tokens that the realm beside it does not take`() async throws {
        try await withRealm { realm in
            let caller = PingOneCaller(realm)
            let tokens = try await caller.exchange(caller.signIn()).json
            #expect(try await realm.isActive(tokens["access_token"]) == false)
            let session = try #require(caller.jar["ST"])
            #expect(try await realm.isAlive(session) == false)
        }
    }
}
