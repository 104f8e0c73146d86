import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("Several issuers", .timeLimit(.minutes(1)))
struct SeveralIssuersTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()

    /// An entry of its own issuer, which is asked at its own address.
    func entry(_ name: String, prefix: String? = nil) throws -> TrustedIssuer {
        let base = "https://\(name).example.com"
        fixture.network.on(
            .get, base + "/.well-known/openid-configuration",
            answering: .json(#"{"issuer":"\#(base)","introspection_endpoint":"\#(base)/introspect"}"#))
        answer(name, #"{"active":false}"#)
        guard let discovery = WebURL(base + "/.well-known/openid-configuration") else { throw BadFixture() }
        return try TrustedIssuer(
            issuer: base, discovery: discovery, profile: .jwt, clients: ["spa"], tokenPrefix: prefix,
            mode: .introspection(Fixture.asking))
    }

    func answer(_ name: String, _ json: String, status: Int = 200) {
        fixture.network.on(
            .post, "https://\(name).example.com/introspect", answering: .json(json, status: status))
    }

    func asked(_ name: String) -> Int {
        fixture.network.requests(to: "https://\(name).example.com/introspect").count
    }

    static let active = #"{"active":true,"token_type":"Bearer","client_id":"spa","sub":"demo","exp":4102444800}"#

    @Test("are asked about an opaque token one after the other, until one knows it")
    func inOrder() async throws {
        let accessGuard = try fixture.accessGuard(of: [try entry("a"), try entry("b"), try entry("c")])
        answer("b", Self.active)
        #expect(await accessGuard.decide("opaque").facts?.issuer == "https://b.example.com")
        #expect(asked("a") == 1 && asked("b") == 1 && asked("c") == 0)
        answer("b", #"{"active":false}"#)
        #expect(await accessGuard.decide("other").kind == .invalidToken)
        #expect(asked("c") == 1)
    }

    @Test("are asked about tokens that begin as theirs do, and then no other learns them")
    func prefix() async throws {
        let accessGuard = try fixture.accessGuard(of: [
            try entry("a"), try entry("b", prefix: "b_"), try entry("c", prefix: "c_"),
        ])
        answer("b", Self.active)
        #expect(await accessGuard.decide("b_1").facts != nil)
        #expect(await accessGuard.decide("c_1").kind == .invalidToken)
        #expect(asked("a") == 0 && asked("b") == 1 && asked("c") == 1)
        // What begins like nobody's is put to those alone whose tokens may begin in any way.
        #expect(await accessGuard.decide("xb_1").kind == .invalidToken)
        #expect(asked("a") == 1 && asked("b") == 1 && asked("c") == 1)
    }

    @Test("that all know how their tokens begin are asked about no other")
    func prefixes() async throws {
        let accessGuard = try fixture.accessGuard(of: [try entry("b", prefix: "b_"), try entry("c", prefix: "c_")])
        #expect(await accessGuard.decide("opaque").kind == .invalidToken)
        #expect(asked("b") == 0 && asked("c") == 0)
    }

    @Test("that cannot be asked may have known the token, so nobody is signed out")
    func trouble() async throws {
        let accessGuard = try fixture.accessGuard(of: [try entry("a"), try entry("b")])
        answer("a", "{}", status: 500)
        #expect(await accessGuard.decide("t1").isUnavailable)
        answer("b", Self.active)
        #expect(await accessGuard.decide("t2").facts != nil)
        answer("a", #"{"error":"unsupported_token_type"}"#, status: 400)
        answer("b", #"{"active":false}"#)
        #expect(await accessGuard.decide("t3").kind == .invalidToken)
    }

    /// A provider that answers each client about its own tokens alone.
    func perClient(_ mode: (IntrospectionSettings) -> ValidationMode) throws -> [TrustedIssuer] {
        try ["one", "two"].map { client in
            let own = IntrospectionSettings(clientID: client, clientSecret: Secret("s"))
            return try Fixture.trusted {
                $0.profile = .jwt
                $0.audiences = []
                $0.clients = [client]
                $0.mode = mode(own)
            }
        }
    }

    @Test("may be one, with an entry for each client: each is asked about its own tokens")
    func perClient() async throws {
        let claims = fixture.goodClaims()
        fixture.network.on(.post, Fixture.introspection) { request in
            let isOwn = request.header("authorization") == "Basic " + Base64.encode("two:s".utf8)
            guard isOwn else { return .json(#"{"active":false}"#) }
            var answer = claims
            (answer["active"], answer["client_id"], answer["token_type"]) = (true, "two", "access_token")
            answer["aud"] = "two"
            return .json(JSONValue.object(answer).text)
        }
        let accessGuard = try fixture.accessGuard(of: try perClient(ValidationMode.introspection))
        #expect(await accessGuard.decide("opaque").facts?.clientID == "two")
        #expect(fixture.questions.count == 2)
        // A token that names its client is put to that one's entry alone.
        let token = try fixture.token([("client_id", "two"), ("aud", "two")])
        #expect(await accessGuard.decide(token).facts?.clientID == "two")
        #expect(fixture.questions.count == 3)
    }

    @Test("that are one are told apart by client when signatures are checked")
    func signed() async throws {
        let accessGuard = try fixture.accessGuard(of: try perClient { _ in .jwt })
        for client in ["one", "two"] {
            let token = try fixture.token([("client_id", .string(client)), ("aud", .string(client))])
            for _ in 0..<2 { #expect(await accessGuard.decide(token).facts?.clientID == client) }
        }
        let token = try fixture.token([("client_id", "three"), ("aud", "three")])
        #expect(await accessGuard.decide(token).kind == .invalidToken)
    }

    @Test("that are one, of one audience, are told apart by client: each token is checked as its client's entry says")
    func overlapping() async throws {
        fixture.network.on(.post, Fixture.introspection, answering: .json(#"{"active":false}"#))
        var entries = try perClient(ValidationMode.introspection)
        entries[0].mode = .jwt
        for index in entries.indices { entries[index].audiences = ["https://rs.example.com"] }
        for order in [entries, entries.reversed()] {
            let accessGuard = try fixture.accessGuard(of: order)
            let before = fixture.questions.count
            #expect(await accessGuard.decide(try fixture.token([("client_id", "two")])).kind == .invalidToken)
            #expect(fixture.questions.count == before + 1)
            #expect(await accessGuard.decide(try fixture.token([("client_id", "one")])).facts?.clientID == "one")
            #expect(fixture.questions.count == before + 1)
        }
        // Of a client that no entry lists: the first entry that has its audience.
        let accessGuard = try fixture.accessGuard(of: entries)
        #expect(await accessGuard.decide(try fixture.token([("client_id", "three")])).facts?.clientID == "three")
    }

    @Test("that are one need clients, and no client twice")
    func distinct() throws {
        let entries = try perClient { _ in .jwt }
        #expect(entries.areDistinct)
        #expect(![entries[0], entries[0]].areDistinct)
        var both = entries[1]
        both.clients = ["one", "two"]
        #expect(![entries[0], both].areDistinct)
        var byAudience = entries[0]
        (byAudience.clients, byAudience.audiences) = ([], ["api"])
        #expect([entries[0], byAudience].areDistinct)
        #expect(![byAudience, byAudience].areDistinct)
        // Two names of one issuer, whichever entry says so.
        var renamed = entries[0]
        renamed.issuer = "https://other.example.com"
        #expect([entries[0], renamed].areDistinct)
        renamed.alsoAccepts = [Fixture.issuer]
        #expect(![entries[0], renamed].areDistinct && ![renamed, entries[0]].areDistinct)
        #expect([entries[1], renamed].areDistinct)
        var third = entries[0]
        (third.issuer, third.alsoAccepts) = ("https://third.example.com", ["https://shared.example.com"])
        renamed.alsoAccepts = third.alsoAccepts
        #expect(![third, renamed].areDistinct)
        #expect(throws: ResourceServerSettingsError.issuerTwice) {
            _ = try fixture.accessGuard(of: [entries[0], entries[0]])
        }
    }
}
