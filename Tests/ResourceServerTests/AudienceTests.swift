import Basics
import HTTPCore
import JSON
import ResourceServer
import TestSupport
import Testing

@Suite("Whom a token is for", .timeLimit(.minutes(1)))
struct AudienceTests {
    typealias Fixture = GuardFixture

    let fixture = Fixture()

    func answer(_ members: String) {
        fixture.network.on(
            .post, Fixture.introspection,
            answering: .json(#"{"active":true,"token_type":"Bearer","sub":"demo","exp":4102444800\#(members)}"#))
    }

    func asking(clients: Set<String>, audiences: Set<String> = [], both: Bool = false) throws -> AccessGuard {
        try fixture.accessGuard {
            ($0.clients, $0.audiences) = (clients, audiences)
            $0.mode = both ? .both(Fixture.asking) : .introspection(Fixture.asking)
        }
    }

    @Test("is said by a listed client where the answer to introspection carries no audience, and only there")
    func clientStandsIn() async throws {
        let accessGuard = try asking(clients: ["spa"])
        answer(#","client_id":"spa""#)
        #expect(await accessGuard.decide("a").facts != nil)
        answer(#","client_id":"spa","aud":"spa""#)
        #expect(await accessGuard.decide("b").facts != nil)
        answer(#","client_id":"spa","aud":"https://other.example.com""#)
        #expect(await accessGuard.decide("c").kind == .invalidToken)
        answer(#","client_id":"other""#)
        #expect(await accessGuard.decide("d").kind == .invalidToken)
        answer("")
        #expect(await accessGuard.decide("e").kind == .invalidToken)
    }

    @Test("is said by no listed client where the answer names no type either, as for a refresh token")
    func withoutType() async throws {
        let accessGuard = try asking(clients: ["spa"])
        let body = #"{"active":true,"client_id":"spa","sub":"demo","exp":4102444800}"#
        fixture.network.on(.post, Fixture.introspection, answering: .json(body))
        #expect(await accessGuard.decide("a").kind == .invalidToken)
    }

    @Test("is said by a verified token itself where the answer about it carries no audience")
    func verified() async throws {
        let accessGuard = try asking(clients: [], audiences: ["https://rs.example.com"], both: true)
        answer(#","client_id":"spa""#)
        #expect(await accessGuard.decide(try fixture.token(), Fixture.strong).facts?.clientID == "spa")
        #expect(await accessGuard.decide("opaque", Fixture.strong).kind == .invalidToken)
    }

    @Test("is asked anew on each request where a step-up brings the scope that is required")
    func steppedUpScope() async throws {
        let accessGuard = try asking(clients: ["spa"])
        let stepUp = Requirement(name: "writing", scopes: ["write"], stepUp: "transaction")
        let plain = Requirement(name: "plain-writing", scopes: ["write"])
        answer(#","client_id":"spa","scope":"write""#)
        for _ in 0..<2 { #expect(await accessGuard.decide("t", plain).facts != nil) }
        #expect(fixture.questions.count == 1)
        fixture.network.on(.post, Fixture.introspection, answering: .json(#"{"active":false}"#))
        #expect(await accessGuard.decide("t", stepUp).kind == .invalidToken)
        // In mode both a signature alone does not do either.
        let both = try asking(clients: ["spa"], audiences: ["https://rs.example.com"], both: true)
        #expect(await both.decide(try fixture.token(), plain).facts != nil)
        #expect(await both.decide(try fixture.token(), stepUp).kind == .invalidToken)
    }
}
