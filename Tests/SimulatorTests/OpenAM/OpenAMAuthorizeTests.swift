import Basics
import HTTPCore
import IdentitySimulator
import JSON
import TestSupport
import Testing

@Suite("The authorize endpoint of the simulator as OpenAM")
struct OpenAMAuthorizeTests {
    @Test("looks for the session in cookie and query; the header named after it leads to the login page")
    func transport() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let byHeader = try await realm.authorize(Realm.request(), session: session)
            #expect(byHeader.status == 301)
            let location = try #require(byHeader.header("location"))
            #expect(location.hasPrefix("\(realm.simulator.baseURL)/am/UI/Login?realm=%2Falpha&goto=http%3A%2F%2F"))
            #expect(location.contains("%26redirect_uri%3Dhttps%253A%252F%252Fapp.example.com%252Fcallback%26"))
            let answers = [
                try await realm.authorizeByCookie(session: session),
                try await realm.authorizeByCookie([realm.cookieName: session], session: nil),
                try await realm.send(
                    .get, "\(Realm.oauth)/authorize?\(Realm.query(Realm.request().map { ($0.key, $0.value) }))",
                    headers: [(realm.cookieName, session), realm.cookie(session)]),
            ]
            for reply in answers {
                #expect(reply.status == 302)
                let names = try #require(reply.location).pairs.map(\.name)
                #expect(names == ["code", "scope", "iss", "state", "client_id"])
                #expect(reply.location?.single("iss") == realm.simulator.issuer)
            }
            #expect(try await realm.authorizeByCookie(session: session + "x").status == 301)
            #expect(try await realm.authorizeByCookie(session: nil).status == 301)
        }
    }

    @Test("takes a redirect URI of the settings, as the token endpoint does")
    func redirectURI() async throws {
        let own = "https://demo.example.com/back"
        try await withOpenAM {
            $0.redirectURIs = [own]
        } _: { realm in
            let session = try await realm.signIn()
            let reply = try await realm.authorizeByCookie(["redirect_uri": own], session: session)
            #expect(reply.header("location")?.hasPrefix(own + "?code=") == true)
            let code = try #require(reply.location?.single("code"))
            #expect(try await realm.exchange(code, ["redirect_uri": own], headers: [Realm.rawBFF]).status == 200)
            let other = try await realm.authorizeByCookie(["redirect_uri": own + "/"], session: session)
            #expect(other.status == 400)
        }
    }

    private struct Refusal {
        let changes: [String: String?]
        var client = "bff"
        var scope = "openid profile email"
        var hasSession = true
        let error: String
        let description: String
    }

    private static let refusals = [
        Refusal(
            changes: [:], scope: "openid nosuch", error: "invalid_scope",
            description: "Unknown/invalid scope(s): [nosuch]"),
        Refusal(
            changes: ["scope": nil], error: "invalid_scope",
            description: "No scope requested and no default scope configured"),
        Refusal(
            changes: ["response_type": "nonsense"], error: "unsupported_response_type",
            description: "Response type is not supported."),
        Refusal(
            changes: ["prompt": "none"], hasSession: false, error: "interaction_required",
            description: "The request requires some interaction that is not allowed."),
        Refusal(
            changes: ["prompt": "none"], client: "bff-consent", error: "consent_required",
            description: "The request requires consent."),
    ]

    @Test("sends errors to the client without naming itself")
    func refusals() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            for row in Self.refusals {
                let reply = try await realm.authorizeByCookie(
                    row.changes, client: row.client, scope: row.scope, session: row.hasSession ? session : nil)
                #expect(reply.status == 302, "\(row.error)")
                #expect(reply.location?.pairs.map(\.name) == ["error_description", "state", "error"])
                #expect(reply.location?.single("error") == row.error)
                #expect(reply.location?.single("error_description") == row.description)
            }
        }
    }

    @Test("shows a page for a wrong client or address, with the word in its script")
    func pages() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let rows: [([String: String?], String)] = [
                (["client_id": "nobody"], "invalid_client"), (["client_id": nil], "invalid_request"),
                (["redirect_uri": "https://app.example.com/other"], "redirect_uri_mismatch"),
            ]
            for (changes, word) in rows {
                let reply = try await realm.authorizeByCookie(changes, session: session)
                #expect(reply.status == 400)
                #expect(reply.header("content-type")?.hasPrefix("text/html") == true)
                #expect(reply.text.contains(#"message: "\#(word)""#))
            }
            let query = Realm.query(Realm.request().map { ($0.key, $0.value) })
            let twice = try await realm.send(.get, "\(Realm.oauth)/authorize?\(query)&scope=openid")
            #expect(twice.status == 400)
            #expect(twice.text.contains("duplicate request parameter found : scope"))
            let realmless = try await realm.send(.get, "/am/oauth2/realms/root/realms/nosuch/authorize?client_id=bff")
            #expect(realmless.status == 404)
            #expect(
                realmless.json["message"]
                    == "No mapping organization found for organization identifier: /nosuch")
        }
    }

    @Test("asks for consent on a page and takes the answer with the session as csrf value")
    func consent() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let asked = try await realm.authorizeByCookie(client: "bff-consent", session: session)
            #expect(asked.status == 200)
            #expect(asked.header("content-type")?.hasPrefix("text/html") == true)
            func decide(_ changes: [String: String]) async throws -> Realm.Reply {
                let form = Realm.request(client: "bff-consent").merging(changes) { $1 }
                return try await realm.post(
                    "\(Realm.oauth)/authorize", form: form.map { ($0.key, $0.value) },
                    headers: [realm.cookie(session)])
            }
            #expect(try await decide(["decision": "allow"]).status == 400)
            #expect(try await decide(["decision": "allow", "csrf": "other"]).status == 400)
            #expect(try await decide(["decision": "allow", "csrf": session]).location?.single("code") != nil)
            #expect(
                try await decide(["decision": "deny", "csrf": session]).location?.single("error") == "access_denied")
        }
    }

    @Test("ends the session at prompt=login and at an exceeded max_age")
    func freshness() async throws {
        try await withOpenAM { realm in
            let asked = try await realm.signIn()
            let login = try await realm.authorizeByCookie(["prompt": "login"], session: asked)
            #expect(login.status == 301)
            #expect(login.location?.single("goto")?.contains("&prompt=&") == true)
            #expect(try await !realm.lives(asked))
            let old = try await realm.signIn()
            realm.time.advance(by: .seconds(10))
            let inTime = try await realm.authorizeByCookie(["max_age": "3600"], session: old)
            #expect(inTime.location?.single("code") != nil)
            let late = try await realm.authorizeByCookie(["max_age": "1"], session: old)
            #expect(late.location?.single("error") == "login_required")
            #expect(try await !realm.lives(old))
        }
    }

    @Test("gives a weak session its code and says so in the acr, by the journeys of the session")
    func acr() async throws {
        try await withOpenAM { realm in
            let weak = try await realm.signIn()
            let strong = try #require(try await realm.run("StepUp").json["tokenId"]?.string)
            let upgrade = [("sessionUpgradeSSOTokenId", try await realm.signIn()), ("ForceAuth", "true")]
            let upgraded = try #require(try await realm.run("StepUp", start: upgrade).json["tokenId"]?.string)
            let rows: [(String, String?, JSONValue?)] = [
                (weak, nil, nil), (weak, "silver", "silver"), (weak, "gold", "0"), (weak, "gold silver", "silver"),
                (weak, "unknown", "0"), (strong, nil, nil), (strong, "gold", "gold"), (strong, "silver", "0"),
                (upgraded, "gold", "gold"), (upgraded, "silver", "silver"), (upgraded, "silver gold", "silver"),
                (upgraded, "platinum", "0"),
            ]
            for (session, values, acr) in rows {
                let tokens = try await realm.openAMTokens(["acr_values": values], session: session)
                #expect(try Realm.parts(tokens["id_token"]).claims["acr"] == acr, "\(values ?? "nothing")")
            }
            let transaction = try await realm.openAMTokens(
                client: "bff-tx", scope: "WRITE_TRANSACTION openid", session: weak, headers: [Realm.rawTransaction])
            #expect(transaction["scope"] == "WRITE_TRANSACTION openid")
            let amr = try Realm.parts(try await realm.openAMTokens(session: upgraded)["id_token"]).claims["amr"]
            #expect(amr == ["Login", "biometric"])
        }
    }

    @Test("names neither revocation nor introspection in its metadata, and the same issuer under each address")
    func discovery() async throws {
        try await withOpenAM { realm in
            for address in ["/am/oauth2/realms/root/realms/alpha", "/am/oauth2/alpha"] {
                let json = try await realm.send(.get, "\(address)/.well-known/openid-configuration").json
                #expect(json["issuer"]?.string == realm.simulator.issuer)
                for name in ["revocation_endpoint", "introspection_endpoint", "code_challenge_methods_supported"] {
                    #expect(json[name] == nil)
                }
                #expect(json["authorization_endpoint"]?.string == realm.simulator.issuer + "/authorize")
            }
            let parameter = try await realm.send(
                .get, "/am/oauth2/.well-known/openid-configuration?realm=/alpha")
            #expect(parameter.json["issuer"]?.string == realm.simulator.issuer)
            let root = try await realm.send(.get, "/am/oauth2/.well-known/openid-configuration")
            #expect(root.status == 404)
        }
    }

    @Test("begins the root realm at /oauth2 under either address")
    func rootRealm() async throws {
        try await withOpenAM {
            $0.realm = "/"
        } _: { realm in
            #expect(realm.simulator.issuer == "\(realm.simulator.baseURL)/am/oauth2")
            for address in ["/am/oauth2", "/am/oauth2/realms/root"] {
                let json = try await realm.send(.get, "\(address)/.well-known/openid-configuration").json
                #expect(json["issuer"]?.string == realm.simulator.issuer)
            }
            for address in ["/am/json", "/am/json/realms/root"] {
                let page = try await realm.post("\(address)/authenticate", json: [:]).json
                let end = try await realm.post(
                    "\(address)/authenticate", json: Realm.fill(page, Realm.login("demo"))
                ).json
                #expect(end["realm"] == "/")
            }
        }
    }
}
