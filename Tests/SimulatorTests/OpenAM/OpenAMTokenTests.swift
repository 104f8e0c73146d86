import Basics
import Cryptography
import HTTPCore
import IdentitySimulator
import JOSE
import JSON
import TestSupport
import Testing

@Suite("The tokens of the simulator as OpenAM")
struct OpenAMTokenTests {
    @Test("are opaque, in an answer with nonce and ID token")
    func exchange() async throws {
        try await withOpenAM { realm in
            let tokens = try await realm.openAMTokens()
            #expect(
                tokens.object?.names == [
                    "access_token", "refresh_token", "scope", "id_token", "token_type", "expires_in", "nonce",
                ])
            #expect(tokens["expires_in"] == 3599)
            #expect(tokens["access_token"]?.string?.count == 36)
        }
    }

    @Test("tell the time of the sign-in in auth:time: seconds, and after a refresh milliseconds")
    func idClaims() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            let signedIn = realm.time.now().seconds
            realm.time.advance(by: .seconds(70))
            let tokens = try await realm.openAMTokens(session: session)
            let (header, claims) = try Realm.parts(tokens["id_token"])
            #expect(header["alg"] == "RS256")
            #expect(
                claims.names == [
                    "at_hash", "sub", "auditTrackingId", "amr", "iss", "tokenName", "aud",
                    "org.forgerock.openidconnect.ops", "auth:time", "azp", "realm", "exp", "tokenType", "iat", "c_hash",
                    "nonce",
                ])
            #expect(claims["sub"] == "demo")
            #expect(claims["auth:time"]?.int == signedIn)
            let again = try await realm.refresh(try #require(tokens["refresh_token"]?.string), headers: [Realm.rawBFF])
            #expect(again.json["nonce"] == nil)
            #expect(again.json["scope"] == "email openid profile")
            let refreshed = try Realm.parts(again.json["id_token"]).claims
            #expect(refreshed["auth:time"]?.int == signedIn * 1000)
            for name in ["nonce", "c_hash", "acr", "auth_time"] { #expect(refreshed[name] == nil) }
        }
    }

    @Test("are signed with the client's secret unless the client says otherwise")
    func symmetric() async throws {
        try await withOpenAM { realm in
            let secret = "a-secret-of-more-than-32-bytes-for-HS256"
            let tokens = try await realm.openAMTokens(client: "bff-hs", headers: [Realm.rawBasic("bff-hs", secret)])
            let token = try #require(tokens["id_token"]?.string)
            #expect(try Realm.parts(tokens["id_token"]).header == ["typ": "JWT", "alg": "HS256"])
            let parts = token.split(separator: ".")
            let mac = try #require(Base64URL.decode(parts[2]))
            #expect(HMACKey(Array(secret.utf8)).isValid(mac, for: Array("\(parts[0]).\(parts[1])".utf8)))
        }
    }

    @Test("name the RSA key in kid whatever signed them; the curve's key is published three times")
    func keyIDs() async throws {
        try await withOpenAM { realm in
            let keys = try JWKSet(parsing: await realm.send(.get, "\(Realm.oauth)/connect/jwk_uri").body)
            #expect(keys.keys.map(\.algorithm) == [.RS256, .ES256, .ES256, .ES256])
            #expect(Set(keys.keys.compactMap(\.id)).count == 4)
            let tokens = try await realm.openAMTokens(
                client: "bff-tx", scope: "openid", headers: [Realm.rawTransaction])
            let token = try #require(tokens["id_token"]?.string)
            let header = try Realm.parts(tokens["id_token"]).header
            #expect(header["alg"] == "ES256")
            #expect(header["kid"]?.string == keys.keys[0].id)
            let renamed = JWKSet(keys.keys.dropFirst().map { JWK($0.key, id: keys.keys[0].id, algorithm: .ES256) })
            try JWS.parse(token).verify(with: renamed, allowing: [.ES256])
        }
    }

    @Test("can be JWTs: without client and level, with the time of issue, and milliseconds after a refresh")
    func accessTokens() async throws {
        try await withOpenAM {
            $0.signAccessTokens()
        } _: { realm in
            let session = try await realm.signIn()
            let signedIn = realm.time.now().seconds
            realm.time.advance(by: .seconds(70))
            let tokens = try await realm.openAMTokens(scope: "openid email", session: session)
            let (header, claims) = try Realm.parts(tokens["access_token"])
            #expect(header["zip"] == "NONE")
            #expect(header["typ"] == "JWT")
            let checked = try await realm.claims(tokens["access_token"])
            #expect(checked == claims)
            #expect(claims["scope"] == "openid email")
            #expect(claims["auth_time"]?.int == signedIn + 70)
            #expect(claims["expires_in"] == 3_600_000)
            #expect(claims["typ"] == "Bearer")
            #expect(claims["realm_access"] == ["roles": []])
            for name in ["client_id", "auth_level", "acr", "amr"] { #expect(claims[name] == nil) }
            let refresh = try Realm.parts(tokens["refresh_token"]).claims
            #expect(refresh["tokenName"] == "refresh_token")
            #expect(refresh["auth_time"]?.int == signedIn * 1000)
            #expect(refresh["scope"] == ["openid", "email"])
            let again = try await realm.refresh(try #require(tokens["refresh_token"]?.string), headers: [Realm.rawBFF])
            let refreshed = try Realm.parts(again.json["access_token"]).claims
            #expect(refreshed["auth_time"]?.int == signedIn * 1000)
            #expect(refreshed["nonce"] == nil)
            let machine = try await realm.post(
                "\(Realm.oauth)/access_token",
                form: [("grant_type", "client_credentials"), ("scope", "am-introspect-all-tokens")],
                headers: [Realm.resourceServer])
            let own = try Realm.parts(machine.json["access_token"]).claims
            #expect(own["sub"] == "rs")
            #expect(own["aud"] == "rs")
            #expect(own["auth_time"]?.int == signedIn + 70)
            #expect(machine.json["refresh_token"] == nil)
        }
    }

    @Test("are HS256 with a key of the realm where access tokens are JWTs and no other algorithm is set")
    func realmKey() async throws {
        try await withOpenAM {
            for index in $0.clients.indices { $0.clients[index].tokenFormat = .jwt }
        } _: { realm in
            let tokens = try await realm.openAMTokens()
            #expect(
                try Realm.parts(tokens["access_token"]).header == ["typ": "JWT", "zip": "NONE", "alg": "HS256"])
            let reply = try await realm.introspect(
                tokens["access_token"]?.string ?? "", headers: [Realm.rawBFF])
            #expect(reply.json["active"] == true)
        }
    }

    @Test("come for the halves of Basic as they are, and only in the registered way")
    func authentication() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            func code() async throws -> String {
                try #require(try await realm.authorizeByCookie(session: session).location?.single("code"))
            }
            let failed = #"{"error_description":"Client authentication failed","error":"invalid_client"}"#
            let encoded = try await realm.exchange(code(), headers: [Realm.bff])
            #expect(encoded.status == 401)
            #expect(encoded.text == failed)
            #expect(encoded.header("www-authenticate") == #"Basic realm="/alpha""#)
            #expect(try await realm.exchange(code(), headers: [Realm.rawBFF]).status == 200)
            let posted = try await realm.exchange(
                code(), ["client_id": "bff", "client_secret": "s/ecret+1"], headers: [])
            #expect(posted.status == 400)
            #expect(
                posted.json["error_description"]
                    == "Invalid authentication method for accessing this endpoint.")
            let both = try await realm.exchange(code(), ["client_id": "bff"], headers: [Realm.rawBFF])
            #expect(both.status == 400)
            #expect(both.json["error"] == "invalid_request")
            let basicForPost = try await realm.exchange(
                code(), headers: [Realm.rawBasic("bff-post", "posted secret")])
            #expect(basicForPost.status == 401)
            for changes in [["client_id": "nobody"], [:], ["client_id": "bff-post", "client_secret": "wrong"]] {
                let reply = try await realm.exchange(code(), changes, headers: [])
                #expect(reply.status == 400)
                #expect(reply.text == failed)
            }
        }
    }

    @Test("are given once for a code; a wrong verifier does not spend it, a missing one is not missed")
    func codes() async throws {
        try await withOpenAM { realm in
            let session = try await realm.signIn()
            func code() async throws -> String {
                try #require(try await realm.authorizeByCookie(session: session).location?.single("code"))
            }
            let headers = [Realm.rawBFF]
            let first = try await code()
            let wrong = try await realm.exchange(first, ["code_verifier": Realm.verifier + "x"], headers: headers)
            #expect(wrong.status == 400)
            #expect(wrong.json["error"] == "invalid_grant")
            let tokens = try await realm.exchange(first, headers: headers)
            #expect(tokens.status == 200)
            #expect(try await realm.exchange(first, headers: headers).json["error"] == "invalid_grant")
            let after = try await realm.introspect(
                tokens.json["access_token"]?.string ?? "", headers: headers)
            #expect(after.json["active"] == false)
            #expect(try await realm.exchange(code(), ["code_verifier": nil], headers: headers).status == 200)
            let elsewhere = try await realm.exchange(
                code(), ["redirect_uri": "https://app.example.com/other"], headers: headers)
            #expect(elsewhere.json["error"] == "redirect_uri_mismatch")
            #expect(try await realm.exchange("nope", headers: headers).json["error"] == "invalid_grant")
        }
    }

    @Test("are refreshed once; a refresh token that was used is refused and ends nothing")
    func refresh() async throws {
        try await withOpenAM { realm in
            let headers = [Realm.rawBFF]
            let tokens = try await realm.openAMTokens(scope: "openid profile")
            let first = try #require(tokens["refresh_token"]?.string)
            let second = try await realm.refresh(first, headers: headers).json
            let again = try await realm.refresh(first, headers: headers)
            #expect(again.status == 400)
            #expect(again.text == #"{"error_description":"grant is invalid","error":"invalid_grant"}"#)
            for token in [tokens["access_token"], second["access_token"], second["refresh_token"]] {
                let reply = try await realm.introspect(token?.string ?? "", headers: headers)
                #expect(reply.json["active"] == true)
            }
            let narrow = try await realm.refresh(
                try #require(second["refresh_token"]?.string), ["scope": "openid"], headers: headers)
            #expect(narrow.json["scope"] == "openid")
            let wide = try await realm.refresh(
                try #require(narrow.json["refresh_token"]?.string), ["scope": "openid email"], headers: headers)
            #expect(wide.json["error_description"] == "Unknown/invalid scope(s): [email]")
            let stolen = try await realm.refresh(
                try #require(narrow.json["refresh_token"]?.string), headers: [Realm.rawTransaction])
            #expect(stolen.json["error_description"] == "Token was issued to a different client")
        }
    }

    @Test("are not given for other grants")
    func grants() async throws {
        try await withOpenAM { realm in
            for (type, error) in [("foo", "unsupported_grant_type"), ("", "invalid_request")] {
                let reply = try await realm.post(
                    "\(Realm.oauth)/access_token", form: [("grant_type", type)], headers: [Realm.rawBFF])
                #expect(reply.status == 400)
                #expect(reply.json["error"]?.string == error)
            }
            let scopeless = try await realm.post(
                "\(Realm.oauth)/access_token", form: [("grant_type", "client_credentials")],
                headers: [Realm.resourceServer])
            #expect(scopeless.json["error"] == "invalid_scope")
        }
    }
}
