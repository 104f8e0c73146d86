import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("A client's own token", .timeLimit(.minutes(1)))
struct MachineTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()

    static let reading = Requirement(name: "reading", scopes: ["read"])
    static let readingByAll = Requirement(name: "reading", scopes: ["read"], machines: true)

    func accessGuard() throws -> AccessGuard {
        try fixture.accessGuard {
            $0.profile = .jwt
            $0.clients = ["spa"]
        }
    }

    static let marks: [(String, [(String, JSONValue?)])] = [
        ("the subject is the client", [("sub", "spa")]),
        ("the subject is the authorized party", [("client_id", nil), ("azp", "svc"), ("sub", "svc")]),
        (
            "the subject is the sole audience",
            [("client_id", nil), ("sub", "spa"), ("aud", "spa"), ("typ", "Bearer"), ("sid", "s")]
        ),
        ("AM says agent", [("sub", "(age!svc)")]), ("there is no subject", [("sub", nil)]),
        ("the subject is empty", [("sub", "")]),
        ("the grant says so", [("grant_type", "client_credentials")]),
        ("the grant says so, elsewhere", [("gty", "client-credentials")]),
        ("the grant says so in a list", [("gty", ["client-credentials"])]),
        ("it is a service account", [("preferred_username", "service-account-svc")]),
        ("it is a service account whose name is not told", [("typ", "Bearer"), ("azp", "svc"), ("auth_time", nil)]),
    ]

    @Test(
        "meets no requirement of users, and one with scopes alone only where that says so; known because",
        arguments: marks)
    func known(name: String, changes: [(String, JSONValue?)]) async throws {
        let accessGuard = try accessGuard()
        // AM adds the time of issue, and Keycloak a class: neither makes a user of it.
        let token = try fixture.token(changes)
        #expect(await accessGuard.decide(token).kind == .insufficientScope)
        #expect(await accessGuard.decide(token, Self.reading).kind == .insufficientScope)
        #expect(await accessGuard.decide(token, Fixture.strong).kind == .insufficientScope)
        #expect(await accessGuard.decide(token, Self.readingByAll).facts?.isClientCredentials == true)
        // Once known it is known.
        #expect(await accessGuard.decide(token).kind == .insufficientScope)
    }

    @Test("is not seen in what users' tokens have as well")
    func users() async throws {
        let accessGuard = try accessGuard()
        for changes: [(String, JSONValue?)] in [
            [], [("client_id", nil), ("azp", "spa"), ("typ", "Bearer"), ("sid", "s"), ("auth_time", nil)],
            [("sub", "(usr!demo)")], [("gty", "password")], [("preferred_username", "service")],
            [("aud", ["https://rs.example.com", "demo"])], [("scope", "read"), ("auth_time", nil)],
        ] {
            #expect(
                await accessGuard.decide(try fixture.token(changes), Self.reading).facts?.isClientCredentials == false)
        }
    }

    @Test("needs the scopes all the same")
    func scopes() async throws {
        let token = try fixture.token([("sub", "spa"), ("scope", "other")])
        #expect(try await accessGuard().decide(token, Self.readingByAll).kind == .insufficientScope)
    }

    @Test("is not let in by a requirement that asks for more than scopes, whatever that says of machines")
    func careless() async throws {
        let token = try fixture.token([("sub", "spa")])
        for requirement in [
            Requirement(name: "all", machines: true),
            Requirement(name: "fresh", scopes: ["read"], maxAge: .age(.seconds(300)), machines: true),
            Requirement(name: "gold", scopes: ["read"], acr: .anyOf(["gold"]), maxAge: .session, machines: true),
        ] {
            #expect(try await accessGuard().decide(token, requirement).kind == .insufficientScope)
        }
    }

    @Test("is known by what introspection says of it")
    func introspected() async throws {
        let accessGuard = try fixture.accessGuard {
            $0.mode = .introspection(Fixture.asking)
            $0.clients = ["svc"]
        }
        fixture.network.on(
            .post, Fixture.introspection,
            answering: .json(
                #"{"active":true,"token_type":"Bearer","client_id":"svc","exp":4102444800,"scope":"read"}"#))
        #expect(await accessGuard.decide("t").kind == .insufficientScope)
        #expect(await accessGuard.decide("t", Self.readingByAll).facts?.clientID == "svc")
    }

    @Test("says what is missing to whoever brings it, and nothing about the requirement")
    func challenge() async throws {
        guard
            case .challenge(let challenge) = try await accessGuard().decide(
                try fixture.token([("sub", "spa")]), Self.reading)
        else {
            Issue.record("expected a challenge")
            return
        }
        #expect(challenge.status == 403 && challenge.required == nil)
        #expect(challenge.header(realm: "r").contains("of a client"))
        #expect(!challenge.header(realm: "r").contains("scope=\"read\""))
    }
}
