import Basics
import HTTPCore
import JSON
import Logs
import ResourceServer
import TestSupport
import Testing

@Suite("What introspection calls active", .timeLimit(.minutes(1)))
struct IntrospectionKindTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()
    let log = RecordedLog()

    /// Knows clients alone, as where a provider puts no audience into its tokens.
    func accessGuard(audiences: Set<String> = [], both: Bool = false) throws -> AccessGuard {
        let issuer = try Fixture.trusted {
            $0.mode = both ? .both(Fixture.asking) : .introspection(Fixture.asking)
            $0.clients = ["spa"]
            $0.audiences = audiences
        }
        return try fixture.accessGuard(of: [issuer], logger: log.logger())
    }

    func answer(_ members: [(String, JSONValue?)]) {
        var json: JSONObject = [
            "active": true, "sub": "demo", "client_id": "spa", "exp": 4_102_444_800, "scope": "openid offline_access",
        ]
        for (name, value) in members { json[name] = value }
        fixture.network.on(.post, Fixture.introspection, answering: .json(JSONValue.object(json).text))
    }

    @Test(
        "is an access token when it says Bearer or access_token, in any case",
        arguments: ["Bearer", "BEARER", "access_token"])
    func types(type: String) async throws {
        answer([("token_type", .string(type))])
        #expect(try await accessGuard().decide("t").facts?.subject == "demo")
    }

    @Test("is a refresh token for all that is known when it has no type and no audience of ours")
    func untyped() async throws {
        for audience: JSONValue? in [nil, "spa", ["spa", "https://other.example.com"]] {
            answer([("aud", audience)])
            #expect(try await accessGuard().decide("t").kind == .invalidToken)
            #expect(try await accessGuard(audiences: ["https://rs.example.com"]).decide("t").kind == .invalidToken)
        }
        answer([("aud", ["https://rs.example.com"])])
        #expect(try await accessGuard(audiences: ["https://rs.example.com"]).decide("t").facts != nil)
    }

    @Test(
        "is no access token when it says so in any way",
        arguments: [
            ("token_type", "refresh_token"), ("token_type", "Refresh"), ("token_type", "ID"), ("token_type", "N_A"),
            ("token_type", ""), ("token_type", 1), ("token_type", ["Bearer"]), ("typ", "Refresh"), ("typ", "ID"),
            ("typ", "Offline"), ("typ", "Logout"), ("typ", "DPoP"), ("tokenName", "id_token"), ("events", [:]),
            ("at_hash", "x"), ("token_use", "refresh_token"), ("token_use", "ID"), ("token_use", ["access"]),
        ] as [(String, JSONValue)])
    func otherKinds(claim: String, value: JSONValue) async throws {
        // Everything else about it is right, even our audience.
        answer([("token_type", "Bearer"), ("aud", "https://rs.example.com"), (claim, value)])
        #expect(try await accessGuard(audiences: ["https://rs.example.com"]).decide("t").kind == .invalidToken)
    }

    @Test("is a refresh token where only its use says so, and an access token where that says so")
    func use() async throws {
        let audience: (String, JSONValue?) = ("aud", "https://rs.example.com")
        answer([audience, ("token_use", "refresh_token")])
        #expect(try await accessGuard(audiences: ["https://rs.example.com"]).decide("t").kind == .invalidToken)
        for use: JSONValue in ["access", "Access_Token"] {
            answer([audience, ("token_use", use)])
            #expect(try await accessGuard(audiences: ["https://rs.example.com"]).decide("t").facts != nil)
        }
    }

    @Test("is asked below the issuer of AM where its document names no endpoint, or where the settings say")
    func endpoint() async throws {
        fixture.network.on(
            .get, Fixture.issuer + "/.well-known/openid-configuration",
            answering: .json(#"{"issuer":"\#(Fixture.issuer)","jwks_uri":"\#(Fixture.issuer)/keys"}"#))
        answer([("token_type", "access_token")])
        func accessGuard(_ profile: TokenProfile, _ endpoint: WebURL? = nil) throws -> AccessGuard {
            var asking = Fixture.asking
            asking.endpoint = endpoint
            return try fixture.accessGuard {
                ($0.profile, $0.clients, $0.audiences, $0.mode) = (profile, ["spa"], [], .introspection(asking))
            }
        }
        #expect(try await accessGuard(.am).decide("t").facts != nil)
        #expect(try await accessGuard(.jwt).decide("t").isUnavailable)
        let elsewhere = try #require(WebURL("https://elsewhere.example.com/i"))
        fixture.network.on(.post, elsewhere.text, answering: .json(#"{"active":false}"#))
        #expect(try await accessGuard(.am, elsewhere).decide("t").kind == .invalidToken)
        #expect(fixture.questions.count == 1)
    }

    @Test("without an end is taken, and asked about again each time")
    func withoutEnd() async throws {
        answer([("token_type", "Bearer"), ("exp", nil)])
        let accessGuard = try accessGuard()
        for _ in 0..<3 { #expect(await accessGuard.decide("t").facts?.expires == nil) }
        #expect(fixture.questions.count == 3)
        answer([("token_type", "Bearer"), ("exp", nil), ("active", false)])
        #expect(await accessGuard.decide("t").kind == .invalidToken)
    }

    @Test("with status 400 is a refusal of this token: nobody has to act, and it is not asked again at once")
    func badRequest() async throws {
        fixture.network.on(
            .post, Fixture.introspection,
            answering: .json(#"{"error":"unsupported_token_type"}"#, status: 400))
        let accessGuard = try accessGuard()
        for _ in 0..<3 { #expect(await accessGuard.decide("made-up").kind == .invalidToken) }
        #expect(fixture.questions.count == 1)
        #expect(log.worst == .info)
    }

    @Test("with status 400 adds nothing in mode both: the verified token stands")
    func badRequestInBoth() async throws {
        fixture.network.on(
            .post, Fixture.introspection, answering: .json(#"{"error":"unsupported_token_type"}"#, status: 400))
        let accessGuard = try accessGuard(audiences: ["https://rs.example.com"], both: true)
        let token = try fixture.token()
        for _ in 0..<2 { #expect(await accessGuard.decide(token, Fixture.strong).facts?.authLevel == 3) }
        // What is not verified is not let in by it.
        #expect(await accessGuard.decide("opaque", Fixture.strong).kind == .invalidToken)
        #expect(log.worst == .info)
    }

    @Test("with nothing but that takes nothing back in mode both, and lets in nobody who is not verified")
    func minimalInBoth() async throws {
        fixture.network.on(.post, Fixture.introspection, answering: .json(#"{"active":true}"#))
        let accessGuard = try accessGuard(audiences: ["https://rs.example.com"], both: true)
        #expect(await accessGuard.decide(try fixture.token(), Fixture.strong).facts?.authLevel == 3)
        #expect(await accessGuard.decide("opaque", Fixture.strong).kind == .invalidToken)
        // Who the answer names counts.
        for (name, value) in [("aud", "other"), ("client_id", "other"), ("azp", "other")] {
            fixture.network.on(
                .post, Fixture.introspection, answering: .json(#"{"active":true,"\#(name)":"\#(value)"}"#))
            #expect(await accessGuard.decide(try fixture.token(), Fixture.strong).kind == .invalidToken)
        }
    }

    @Test(
        "cannot be told when it is about us, which is said once a minute and not once per token",
        arguments: [
            .json("{}", status: 401), .json("{}", status: 403), .json(#"{"error":"invalid_client"}"#, status: 400),
            .html("", status: 406), .html("eyJhbGciOiJSUzI1NiJ9.e30.c2ln"),
        ] as [ClientResponse])
    func aboutUs(response: ClientResponse) async throws {
        fixture.network.on(.post, Fixture.introspection, answering: response)
        let accessGuard = try accessGuard()
        for number in 0..<5 { #expect(await accessGuard.decide("t\(number)").isUnavailable) }
        #expect(log.lines.count { $0.hasPrefix("error") } == 1)
        fixture.time.advance(by: .seconds(60))
        #expect(await accessGuard.decide("t6").isUnavailable)
        #expect(log.lines.filter { $0.hasPrefix("error") }.last?.contains("count=5") == true)
    }
}
