import Basics
import Cryptography
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import TestSupport
import Testing

@Suite("The token endpoint of the simulator")
struct TokenTests {
    @Test("exchanges a code for three tokens")
    func exchange() async throws {
        try await withRealm { realm in
            let reply = try await realm.exchange(realm.code(session: realm.signIn()))
            #expect(reply.status == 200)
            #expect(reply.header("cache-control") == "no-store")
            #expect(
                reply.json.object?.names == [
                    "access_token", "refresh_token", "scope", "id_token", "token_type", "expires_in", "nonce",
                ])
            #expect(reply.json["scope"] == "openid profile email")
            #expect(reply.json["token_type"] == "Bearer")
            #expect(reply.json["expires_in"] == 3600)
        }
    }

    @Test("issues access tokens with the claims of AM, signed by a published key")
    func accessClaims() async throws {
        try await withRealm { realm in
            let session = try await realm.stepUp(realm.signIn())
            let code = try await realm.code(client: "bff-tx", scope: "openid WRITE_TRANSACTION", session: session)
            let tokens = try await realm.exchange(code, headers: [Realm.transaction]).json
            let claims = try await realm.claims(tokens["access_token"], .ES256)
            let now = realm.time.now().seconds
            #expect(claims["sub"] == "(usr!demo)")
            #expect(claims["subname"] == "demo")
            #expect(claims["iss"]?.string == realm.simulator.issuer)
            #expect(claims["aud"] == "bff-tx")
            #expect(claims["client_id"] == "bff-tx")
            #expect(claims["tokenName"] == "access_token")
            #expect(claims["scope"] == ["openid", "WRITE_TRANSACTION"])
            #expect(claims["auth_level"] == 3)
            // The class is in the ID token alone.
            #expect(claims["acr"] == nil)
            #expect(try await realm.claims(tokens["id_token"], .ES256)["acr"] == "gold")
            #expect(claims["amr"] == ["Login", "biometric"])
            // Another second than that of the sign-in, although no time has passed.
            #expect(claims["auth_time"]?.int == now + 1)
            #expect(claims["exp"]?.int == now + 3600)
            #expect(claims["realm"] == "/alpha")
            #expect(claims["cts"] == "OAUTH2_STATELESS_GRANT")
            #expect(claims["grant_type"] == "authorization_code")
            for name in ["jti", "authGrantId", "auditTrackingId"] { #expect(claims[name]?.string?.isEmpty == false) }
            let refresh = try await realm.claims(tokens["refresh_token"], .ES256)
            #expect(refresh["tokenName"] == "refresh_token")
        }
    }

    @Test("issues ID tokens with nonce and hashes")
    func idClaims() async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            let tokens = try await realm.exchange(code).json
            let claims = try await realm.claims(tokens["id_token"])
            func half(_ text: String) -> JSONValue { .string(Base64URL.encode(Digest.hash(utf8: text).prefix(16))) }
            let access = try #require(tokens["access_token"]?.string)
            #expect(claims["at_hash"] == half(access))
            #expect(claims["c_hash"] == half(code))
            #expect(claims["s_hash"] == half("st"))
            #expect(claims["nonce"] == "n-0S6")
            #expect(claims["aud"] == "bff")
            #expect(claims["azp"] == "bff")
            #expect(claims["sub"] == "(usr!demo)")
            #expect(claims["acr"] == "0")
            #expect(claims["amr"] == ["Login"])
            #expect(claims["tokenName"] == "id_token")
            #expect(claims["sid"]?.string?.isEmpty == false)
        }
    }

    @Test("issues no ID token without openid and no scope for none")
    func noOpenID() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            var request = Realm.request()
            request["scope"] = nil
            let code = try #require(try await realm.authorize(request, session: session).location?.single("code"))
            let tokens = try await realm.exchange(code).json
            #expect(tokens["id_token"] == nil)
            #expect(tokens["scope"] == nil)
            #expect(tokens["access_token"] != nil)
        }
    }

    @Test("takes a code once; a second time ends what the first gave")
    func codeOnce() async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            let tokens = try await realm.exchange(code).json
            #expect(try await realm.isActive(tokens["access_token"]))
            let again = try await realm.exchange(code)
            #expect(again.status == 400)
            #expect(again.json["error"] == "invalid_grant")
            #expect(try await !realm.isActive(tokens["access_token"]))
            #expect(try await !realm.isActive(tokens["refresh_token"]))
        }
    }

    @Test("takes a code once when two requests race")
    func codeRace() async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 { group.addTask { try await realm.exchange(code).status } }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            #expect(statuses.count { $0 == 200 } == 1)
        }
    }

    @Test("gives nothing for a code that is late")
    func lateCode() async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            realm.time.advance(by: .seconds(120))
            #expect(try await realm.exchange(code).json["error"] == "invalid_grant")
        }
    }

    @Test(
        "gives nothing for a code with something wrong about it",
        arguments: [
            ("code", "guess", "invalid_grant"), ("code", nil, "invalid_request"),
            ("redirect_uri", "https://app.example.com/other", "invalid_grant"),
            ("redirect_uri", nil, "invalid_request"),
            ("code_verifier", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX", "invalid_grant"),
            ("code_verifier", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "invalid_grant"),
            ("code_verifier", nil, "invalid_request"), ("grant_type", "password", "unsupported_grant_type"),
            ("grant_type", nil, "invalid_request"), ("grant_type", "client_credentials", "unauthorized_client"),
        ] as [(String, String?, String)])
    func badCode(_ name: String, _ value: String?, _ error: String) async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            let reply = try await realm.exchange(code, [name: value])
            #expect(reply.status == 400)
            #expect(reply.json["error"]?.string == error)
            #expect(reply.json["access_token"] == nil)
        }
    }

    @Test("gives nothing for the code of another client, and leaves it to its owner")
    func foreignCode() async throws {
        try await withRealm { realm in
            let code = try await realm.code(session: realm.signIn())
            #expect(try await realm.exchange(code, headers: [Realm.transaction]).json["error"] == "invalid_grant")
            #expect(try await realm.exchange(code).status == 200)
        }
    }

    @Test("authenticates each client in its own way")
    func authentication() async throws {
        try await withRealm { realm in
            let session = try await realm.signIn()
            func attempt(
                _ client: String, _ form: [String: String?], _ headers: [(String, String)] = []
            ) async throws -> Realm.Reply {
                let code = try await realm.code(client: client, scope: "openid", session: session)
                return try await realm.exchange(code, form, headers: headers)
            }
            #expect(try await attempt("bff", [:], [Realm.bff]).status == 200)
            #expect(try await attempt("bff", ["client_id": "bff"], [Realm.bff]).status == 200)
            #expect(
                try await attempt("bff-post", ["client_id": "bff-post", "client_secret": "posted secret"]).status == 200
            )
            #expect(try await attempt("spa", ["client_id": "spa"]).status == 200)

            let raw = ("Authorization", "Basic " + Base64.encode(Array("bff:s/ecret+1".utf8)))
            let refusedByHeader = [
                try await attempt("bff", [:], [Realm.basic("bff", "wrong")]), try await attempt("bff", [:], [raw]),
                try await attempt("bff", [:], [("Authorization", "Basic ???")]),
                try await attempt("bff", [:], [("Authorization", "Bearer x")]),
                try await attempt("bff-post", [:], [Realm.basic("bff-post", "posted secret")]),
                try await attempt("spa", [:], [Realm.basic("spa", "")]),
            ]
            for reply in refusedByHeader {
                #expect(reply.status == 401)
                #expect(reply.json["error"] == "invalid_client")
                #expect(reply.header("www-authenticate") == "Basic realm=\"/alpha\"")
            }
            let refusedByForm = [
                try await attempt("bff", ["client_id": "bff", "client_secret": "s/ecret+1"]),
                try await attempt("bff", ["client_id": "bff"]), try await attempt("bff", [:]),
                try await attempt("bff-post", ["client_id": "bff-post", "client_secret": "wrong"]),
                try await attempt("bff-post", ["client_id": "bff-post"]),
                try await attempt("spa", ["client_id": "spa", "client_secret": "x"]),
            ]
            for reply in refusedByForm {
                #expect(reply.status == 400)
                #expect(reply.json["error"] == "invalid_client")
                #expect(reply.header("www-authenticate") == nil)
            }
            let ambiguous = [
                try await attempt("bff", ["client_secret": "s/ecret+1"], [Realm.bff]),
                try await attempt("bff", ["client_id": "spa"], [Realm.bff]),
                try await attempt("bff", [:], [Realm.bff, Realm.bff]),
            ]
            for reply in ambiguous {
                #expect(reply.status == 400)
                #expect(reply.json["error"] == "invalid_request")
            }
        }
    }

    @Test("wants a form, each field once, nothing in the query")
    func forms() async throws {
        try await withRealm { realm in
            let path = "\(Realm.oauth)/access_token"
            #expect(try await realm.send(.get, path).status == 405)
            #expect(try await realm.post(path, json: [:], headers: [Realm.bff]).json["error"] == "invalid_request")
            let twice = [("grant_type", "refresh_token"), ("grant_type", "refresh_token")]
            #expect(try await realm.post(path, form: twice, headers: [Realm.bff]).json["error"] == "invalid_request")
            for query in ["?client_secret=x", "?code=x", "?refresh_token=x"] {
                let reply = try await realm.post(
                    path + query, form: [("grant_type", "refresh_token")], headers: [Realm.bff])
                #expect(reply.json["error"] == "invalid_request")
            }
        }
    }

    @Test("signs with new keys after a rotation and still publishes the old ones")
    func rotation() async throws {
        try await withRealm { realm in
            let before = try await realm.tokens()["access_token"]
            try realm.simulator.rotateKeys()
            let after = try await realm.tokens()["access_token"]
            _ = try await realm.claims(before)
            _ = try await realm.claims(after)
            let ids = try [before, after].map { try JWS.parse($0?.string ?? "").header.keyID }
            #expect(ids[0] != ids[1])
        }
    }

    @Test("issues opaque tokens where the client wants them")
    func opaque() async throws {
        try await withRealm {
            $0.clients[0].tokenFormat = .opaque
        } _: { realm in
            let tokens = try await realm.tokens()
            #expect(tokens["access_token"]?.string?.contains(".") == false)
            #expect(try await realm.isActive(tokens["access_token"]))
        }
    }

    @Test("gives client credentials a token without a user")
    func clientCredentials() async throws {
        try await withRealm { realm in
            func attempt(_ form: [(String, String)]) async throws -> Realm.Reply {
                try await realm.post(
                    "\(Realm.oauth)/access_token", form: [("grant_type", "client_credentials")] + form,
                    headers: [Realm.resourceServer])
            }
            let tokens = try await attempt([]).json
            let claims = try await realm.claims(tokens["access_token"])
            #expect(claims["grant_type"] == "client_credentials")
            #expect(claims["auth_level"] == nil)
            #expect(claims["amr"] == nil)
            #expect(tokens["refresh_token"] == nil)
            #expect(tokens["id_token"] == nil)
            #expect(try await attempt([("scope", "openid")]).json["error"] == "invalid_scope")
        }
    }
}
