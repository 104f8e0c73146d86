import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The authorize endpoint of the simulator")
struct AuthorizeTests {
    @Test("gives a code for a session, in the header or the cookie")
    func code() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let reply = try await realm.authorize(Realm.request(), session: session)
            #expect(reply.status == 302)
            #expect(reply.header("location")?.hasPrefix("\(Realm.callback)?code=") == true)
            let answer = try #require(reply.location)
            #expect(answer.pairs.map(\.name) == ["code", "iss", "state", "client_id"])
            #expect(answer.single("iss") == realm.simulator.issuer)
            #expect(answer.single("state") == "st")
            #expect(answer.single("client_id") == "bff")
            let query = Realm.query(Realm.request().map { ($0.key, $0.value) })
            let byCookie = try await realm.send(
                .get, "\(Realm.oauth)/authorize?\(query)", headers: [("Cookie", "\(realm.cookieName)=\(session)")])
            #expect(byCookie.location?.single("code") != nil)
        }
    }

    @Test("sends those without a good session to the login page, without a word of error")
    func loginPage() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            for value in [nil, "", "nonsense", session + "x"] {
                let reply = try await realm.authorize(Realm.request(), session: value)
                #expect(reply.status == 302)
                #expect(
                    reply.header("location")?.hasPrefix("\(realm.simulator.baseURL)/am/UI/Login?realm=%2Falpha&goto=")
                        == true)
                #expect(reply.location?.single("goto")?.contains("/authorize?") == true)
                #expect(reply.location?.single("error") == nil)
            }
            #expect(try await realm.send(.get, "/am/UI/Login").status == 200)
        }
    }

    @Test("wants level 3 for a scope and for an acr value")
    func level() async throws {
        try await withRealm { realm in
            let weak = try await realm.signIn()
            let scope = Realm.request(client: "bff-tx", scope: "openid WRITE_TRANSACTION")
            let acr = Realm.request().merging(["acr_values": "gold"]) { $1 }
            for request in [scope, acr] {
                #expect(try await realm.authorize(request, session: weak).location?.single("goto") != nil)
            }
            let either = Realm.request().merging(["acr_values": "unknown silver"]) { $1 }
            #expect(try await realm.authorize(either, session: weak).location?.single("code") != nil)
            let strong = try await realm.stepUp(weak)
            for request in [scope, acr] {
                #expect(try await realm.authorize(request, session: strong).location?.single("code") != nil)
            }
        }
    }

    @Test("wants a fresh sign-in for max_age")
    func maxAge() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let request = Realm.request().merging(["max_age": "60"]) { $1 }
            realm.time.advance(by: .seconds(60))
            #expect(try await realm.authorize(request, session: session).location?.single("code") != nil)
            realm.time.advance(by: .seconds(1))
            #expect(try await realm.authorize(request, session: session).location?.single("goto") != nil)
            let zero = Realm.request().merging(["max_age": "0"]) { $1 }
            #expect(try await realm.authorize(zero, session: session).location?.single("goto") != nil)
        }
    }

    @Test(
        "answers prompts",
        arguments: [
            ("none", true, nil), ("none", false, "login_required"), ("none login", true, "invalid_request"),
            ("sometimes", true, "invalid_request"),
        ] as [(String, Bool, String?)])
    func prompts(_ prompt: String, _ signedIn: Bool, _ error: String?) async throws {
        try await withRealm { realm in
            let session = signedIn ? try await realm.signIn() : nil
            let reply = try await realm.authorize(Realm.request().merging(["prompt": prompt]) { $1 }, session: session)
            #expect(reply.location?.single("error") == error)
            #expect((reply.location?.single("code") != nil) == (error == nil))
        }
    }

    @Test(
        "with prompt login or for too old a sign-in ends the session, and the login page leads back",
        arguments: [("prompt", "login", true), ("prompt", "login consent", false), ("max_age", "60", true)])
    func ended(_ name: String, _ value: String, _ givesCode: Bool) async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            realm.time.advance(by: .seconds(61))
            let base = realm.simulator.baseURL
            let reply = try await realm.authorize(Realm.request().merging([name: value]) { $1 }, session: session)
            #expect(reply.status == 302 && reply.header("location")?.hasPrefix("\(base)/am/UI/Login?") == true)
            #expect(try await !realm.isAlive(session))
            let back = try #require(reply.location?.single("goto"))
            #expect(back.hasPrefix("\(base)\(Realm.oauth)/authorize?"))
            let again = try await realm.send(
                .get, String(back.dropFirst(base.count)), headers: realm.sessionHeader(try await realm.signIn()))
            // With prompt consent the consent page comes next.
            #expect((again.location?.single("code") != nil) == givesCode && again.location?.single("goto") == nil)
        }
    }

    @Test("leaves a session alive that is too weak, and client-side sessions in any case")
    func kept() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            let scope = Realm.request(client: "bff-tx", scope: "openid WRITE_TRANSACTION")
            #expect(try await realm.authorize(scope, session: session).location?.single("goto") != nil)
            #expect(try await realm.isAlive(session))
        }
        try await withRealm {
            $0.ping.clientSideSessions = true
        } _: { realm in
            let session = try await realm.signIn()
            let request = Realm.request().merging(["prompt": "login"]) { $1 }
            #expect(try await realm.authorize(request, session: session).location?.single("goto") != nil)
            #expect(try await realm.isAlive(session))
        }
    }

    @Test(
        "sends errors back to the client",
        arguments: [
            ("response_type", nil, "unsupported_response_type"),
            ("response_type", "token", "unsupported_response_type"),
            ("response_type", "code id_token", "unsupported_response_type"),
            ("response_mode", "fragment", "invalid_request"),
            ("scope", "openid admin", "invalid_scope"), ("scope", "openid openid", "invalid_scope"),
            ("scope", "openid WRITE_TRANSACTION", "invalid_scope"), ("code_challenge", nil, "invalid_request"),
            ("code_challenge", "short", "invalid_request"), ("code_challenge_method", nil, "invalid_request"),
            ("code_challenge_method", "plain", "invalid_request"), ("code_challenge_method", "s256", "invalid_request"),
            ("max_age", "-1", "invalid_request"), ("max_age", "soon", "invalid_request"),
            ("max_age", "", "invalid_request"),
        ] as [(String, String?, String)])
    func errors(_ name: String, _ value: String?, _ error: String) async throws {
        try await withRealm { realm in
            var request = Realm.request()
            request[name] = value
            let reply = try await realm.authorize(request, session: try await realm.signIn())
            #expect(reply.status == 302)
            #expect(reply.header("location")?.hasPrefix(Realm.callback + "?") == true)
            #expect(reply.location?.single("error") == error)
            #expect(reply.location?.single("state") == "st")
            #expect(reply.location?.single("iss") == realm.simulator.issuer)
            #expect(reply.location?.single("code") == nil)
        }
    }

    @Test(
        "redirects nowhere when client or address are not known",
        arguments: [
            ("client_id", nil), ("client_id", "nobody"), ("client_id", "rs"), ("redirect_uri", nil),
            ("redirect_uri", ""),
            ("redirect_uri", "https://evil.example/callback"), ("redirect_uri", "https://app.example.com/callback/"),
            ("redirect_uri", "https://app.example.com/callback?x=1"),
            ("redirect_uri", "https://app.example.com/CALLBACK"),
            ("redirect_uri", "HTTPS://app.example.com/callback"),
        ] as [(String, String?)])
    func refused(_ name: String, _ value: String?) async throws {
        try await withRealm { realm in
            var request = Realm.request()
            request[name] = value
            let reply = try await realm.authorize(request, session: try await realm.signIn())
            #expect(reply.status == 400)
            #expect(reply.header("location") == nil)
            #expect(reply.json["error"] == (name == "client_id" ? "invalid_client" : "redirect_uri_mismatch"))
        }
    }

    @Test("refuses repeated parameters")
    func repeated() async throws {
        try await withRealm { realm in
            let session = realm.sessionHeader(try await realm.signIn())
            let query = Realm.query(Realm.request().map { ($0.key, $0.value) })
            let path = "\(Realm.oauth)/authorize?\(query)"
            #expect(try await realm.send(.get, path + "&client_id=spa", headers: session).status == 400)
            #expect(
                try await realm.send(.get, path + "&redirect_uri=https://evil.example", headers: session).status == 400)
            for extra in ["scope=openid", "state=other", "nonce=x", "code_challenge=x"] {
                let reply = try await realm.send(.get, "\(path)&\(extra)", headers: session)
                #expect(reply.location?.single("error") == "invalid_request", "\(extra)")
            }
        }
    }

    @Test("asks for consent where it is not implied, and takes it with the session as csrf")
    func consent() async throws {
        try await withRealm {
            $0.clients[0].impliesConsent = false
        } _: { realm in
            let session = try await realm.signIn()
            let page = try await realm.authorize(Realm.request(), session: session)
            #expect(page.status == 200)
            #expect(page.header("content-type")?.hasPrefix("text/html") == true)
            func decide(_ decision: String, csrf: String) async throws -> Realm.Reply {
                let form = Realm.request().merging(["decision": decision, "csrf": csrf]) { $1 }
                return try await realm.post(
                    "\(Realm.oauth)/authorize", form: form.map { ($0.key, $0.value) },
                    headers: realm.sessionHeader(session))
            }
            #expect(try await decide("allow", csrf: session).location?.single("code") != nil)
            #expect(try await decide("deny", csrf: session).location?.single("error") == "access_denied")
            #expect(try await decide("allow", csrf: "guess").status == 400)
            let silent = Realm.request().merging(["prompt": "none"]) { $1 }
            #expect(
                try await realm.authorize(silent, session: session).location?.single("error") == "consent_required")
        }
    }

    @Test("spells its issuer as the realm was spelt")
    func issuers() async throws {
        try await withRealm { realm in
            for path in ["/am/oauth2/alpha", "/am/oauth2/realms/alpha", Realm.oauth] {
                let document = try await realm.send(.get, "\(path)/.well-known/openid-configuration").json
                let issuer = realm.simulator.baseURL + path
                #expect(document["issuer"]?.string == issuer)
                #expect(document["backchannel_logout_supported"] == true)
                #expect(document["backchannel_logout_session_supported"] == true)
                #expect(document["token_endpoint"]?.string == issuer + "/access_token")
                #expect(document["jwks_uri"]?.string == issuer + "/connect/jwk_uri")
            }
            for path in ["/am/oauth2/beta", "/am/oauth2/realms/root", "/am/oauth2"] {
                #expect(try await realm.send(.get, "\(path)/.well-known/openid-configuration").status == 404)
            }
            #expect(realm.simulator.discoveryURL.hasPrefix(realm.simulator.issuer))
        }
    }
}
