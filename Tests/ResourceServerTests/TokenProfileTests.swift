import Basics
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import TestSupport
import Testing

@Suite("Access tokens by profile")
struct TokenProfileTests {
    let fixture = GuardFixture()

    func decide(
        _ profile: TokenProfile, _ changes: [(String, JSONValue?)], type: String?,
        _ change: (inout TrustedIssuer) -> Void = { _ in }
    ) async throws -> AccessDecision {
        let accessGuard = try fixture.accessGuard {
            $0.profile = profile
            change(&$0)
        }
        return await accessGuard.decide(try fixture.token(changes, type: type))
    }

    @Test("of RFC 9068 are taken and become facts", arguments: ["at+jwt", "AT+JWT", "application/at+jwt"])
    func rfc9068(type: String) async throws {
        let facts = try #require(try await decide(.rfc9068, [], type: type).facts)
        #expect(facts.issuer == GuardFixture.issuer && facts.subject == "demo" && facts.clientID == "spa")
        #expect(facts.scopes == ["read", "write"] && facts.acr == "gold" && facts.amr == ["pwd", "hwk"])
        #expect(facts.authLevel == 3 && facts.authTime == fixture.time.now() - .seconds(10))
        #expect(facts.expires == fixture.time.now() + .seconds(300) && !facts.isClientCredentials)
    }

    @Test("of AM are told from refresh and ID tokens by their name alone")
    func am() async throws {
        let client: (inout TrustedIssuer) -> Void = {
            $0.audiences = ["txn-client"]
        }
        let form: [(String, JSONValue?)] = [
            ("aud", "txn-client"), ("client_id", nil), ("scope", ["openid", "WRITE"]), ("sub", "(usr!demo)"),
            ("amr", "Login2"), ("auth_level", "3"),
        ]
        let facts = try #require(
            try await decide(.am, form + [("tokenName", "access_token")], type: "JWT", client).facts)
        #expect(facts.scopes == ["openid", "WRITE"] && facts.amr == ["Login2"] && facts.authLevel == 3)
        for name: JSONValue? in ["refresh_token", "id_token", nil, .null, 1, "Access_token"] {
            #expect(
                try await decide(.am, form + [("tokenName", name)], type: "JWT", client).kind == .invalidToken)
        }
        let named = form + [("tokenName", "access_token")]
        #expect(try await decide(.am, named, type: nil, client).kind == .invalidToken)
        #expect(try await decide(.am, named + [("aud", "other")], type: "JWT", client).kind == .invalidToken)
    }

    @Test("of AM may state the time of authentication in milliseconds, as OpenAM does after a refresh")
    func milliseconds() async throws {
        let time = fixture.time.now() - .seconds(10)
        let token: [(String, JSONValue?)] = [
            ("tokenName", "access_token"), ("auth_time", .number(JSONNumber(time.milliseconds))),
        ]
        #expect(try await decide(.am, token, type: "JWT").facts?.authTime == time)
    }

    @Test("of PingOne are told from ID tokens by audience, scope, nonce and hash")
    func pingOne() async throws {
        #expect(try await decide(.pingOne, [], type: nil).facts != nil)
        #expect(try await decide(.pingOne, [], type: "JWT").facts != nil)
        for changes: [(String, JSONValue?)] in [
            [("aud", ["https://rs.example.com", "spa"])], [("scope", nil)], [("nonce", "n")], [("at_hash", "h")],
        ] {
            #expect(try await decide(.pingOne, changes, type: nil).kind == .invalidToken)
        }
        #expect(try await decide(.pingOne, [], type: "logout+jwt").kind == .invalidToken)
    }

    @Test(
        "are for us by audience, or by a client that names nobody else, and for any other API only where that is said")
    func audience() async throws {
        func isTaken(
            _ aud: JSONValue?, client: JSONValue?, audiences: Set<String>, clients: Set<String>, any: Bool = false
        ) async throws -> Bool {
            // Not RFC 9068, which wants a client to be named.
            try await decide(.jwt, [("aud", aud), ("client_id", client)], type: "at+jwt") {
                $0.audiences = audiences
                $0.clients = clients
                $0.insecureAnyAudience = any
            }.facts != nil
        }
        #expect(try await isTaken("a", client: "spa", audiences: ["a"], clients: []))
        #expect(try await isTaken(["x", "a"], client: nil, audiences: ["a"], clients: []))
        #expect(try await isTaken("x", client: "spa", audiences: [], clients: ["spa"]) == false)
        #expect(try await isTaken("x", client: "spa", audiences: [], clients: ["spa"], any: true))
        #expect(try await isTaken("x", client: "other", audiences: [], clients: ["spa"], any: true) == false)
        #expect(try await isTaken("x", client: "other", audiences: [], clients: [], any: true))
        #expect(try await isTaken("spa", client: nil, audiences: [], clients: ["spa"]))
        #expect(try await isTaken("spa", client: "spa", audiences: ["a"], clients: ["spa"]))
        #expect(try await isTaken(nil, client: "spa", audiences: ["a"], clients: ["spa"]))
        // Meant for another resource server, although we know the client.
        #expect(try await isTaken("x", client: "spa", audiences: ["a"], clients: ["spa"]) == false)
        #expect(try await isTaken(["spa", "x"], client: "spa", audiences: ["a"], clients: ["spa"]) == false)
        #expect(try await isTaken("spa", client: "other", audiences: [], clients: ["spa"]) == false)
        #expect(try await isTaken(["spa", "x"], client: nil, audiences: [], clients: ["spa"]) == false)
        #expect(try await isTaken("A", client: "spa", audiences: ["a"], clients: []) == false)
    }

    @Test("are within the leeway of their issuer's clock, and no further")
    func leeway() async throws {
        let now = fixture.time.now().seconds
        func at(_ claim: String, _ offset: Int64) async throws -> Bool {
            try await decide(.rfc9068, [(claim, .number(JSONNumber(now + offset)))], type: "at+jwt").facts != nil
        }
        for (claim, offset, isTaken): (String, Int64, Bool) in [
            ("exp", -29, true), ("exp", -30, false), ("nbf", 30, true), ("nbf", 31, false), ("iat", 30, true),
            ("iat", 31, false),
        ] {
            #expect(try await at(claim, offset) == isTaken)
        }
    }

    @Test("of a client's own are known for what they are")
    func clientCredentials() async throws {
        for changes: [(String, JSONValue?)] in [
            [("sub", "spa")], [("sub", nil)], [("sub", "")], [("grant_type", "client_credentials")],
        ] {
            #expect(try await machine(changes)?.isClientCredentials == true)
            #expect(try await decide(.jwt, changes, type: "at+jwt").kind == .insufficientScope)
        }
        // An empty name is nobody's.
        #expect(try await machine([("sub", "")])?.subject == nil)
    }

    /// What a token says that a requirement for machines takes.
    private func machine(_ changes: [(String, JSONValue?)]) async throws -> TokenFacts? {
        let accessGuard = try fixture.accessGuard { $0.profile = .jwt }
        let reading = Requirement(name: "reading", scopes: ["read"], machines: true)
        return await accessGuard.decide(try fixture.token(changes), reading).facts
    }

    @Test("need an issuer that says whom its tokens are for, and each issuer once")
    func settings() throws {
        #expect(throws: ResourceServerSettingsError.audienceMissing) {
            let discovery = try #require(WebURL("https://as.example.com/x"))
            _ = try TrustedIssuer(issuer: "i", discovery: discovery, profile: .am)
        }
        #expect(throws: ResourceServerSettingsError.audienceMissing) {
            let discovery = try #require(WebURL("https://as.example.com/x"))
            _ = try TrustedIssuer(
                issuer: "i", discovery: discovery, profile: .am, clients: ["spa"], mode: .both(GuardFixture.asking))
        }
        let trusted = try GuardFixture.trusted()
        #expect(throws: ResourceServerSettingsError.issuerTwice) {
            let directory = fixture.directory()
            _ = try AccessGuard(
                issuers: [trusted, trusted], transport: fixture.network, directory: directory, logger: .silent
            )
        }
    }
}
