import Basics
import TestSupport
import Testing

@testable import IdentitySimulator

@Suite("What the simulator keeps")
struct BoundTests {
    private let now = ManualTime().now()

    @Test func `counts paths beyond the first thousand as one`() {
        let journal = Journal()
        for number in 0..<1003 { journal.count(Substring("/path/\(number)")) }
        journal.count("/path/0")
        #expect(journal.received("/others") == 3 && journal.received("/path/0") == 2 && journal.total == 1004)
    }

    @Test func `makes room by what was set longest ago`() {
        var table = BoundedTable<Int>(capacity: 10)
        for number in 0..<10 { table["\(number)"] = number }
        table["0"] = 0
        table["10"] = 10
        #expect(table["0"] == 0 && table["1"] == nil && table["10"] == 10 && table.count <= 10)
    }

    private func grant(_ number: Int) -> IssuedGrant {
        IssuedGrant(
            id: "g\(number)", clientID: "bff", user: "demo", scopes: ["openid"], issuer: "i", realm: "/alpha",
            grantType: "authorization_code", level: 0, acr: "0", amr: [], authTime: now, sessionID: "s", nonce: nil,
            state: nil, trackingID: "t")
    }

    private func token(_ grant: IssuedGrant, issued: Timestamp, lasts seconds: Int64) -> TokenRecord {
        TokenRecord(
            kind: .refresh, grant: grant, scopes: ["openid"], id: "i", issued: issued,
            expires: issued + .seconds(seconds))
    }

    @Test func `has no tokens of a grant that made room, which is none that was refreshed lately`() throws {
        let registry = GrantRegistry(SimulatorSettings(), journal: Journal(), capacity: 10)
        var client = SimulatedClient.standard[0]
        client.rotatesRefreshTokens = false
        func give(_ number: Int) {
            let grant = grant(number)
            registry.add(grant)
            registry.add("r\(number)", token(grant, issued: now, lasts: 60))
        }
        for number in 0..<10 { give(number) }
        _ = try registry.refresh("r0", scopes: nil, client: client, now: now)
        give(10)
        for token in ["r0", "r9", "r10"] {
            #expect(registry.find(token, now: now) != nil, "\(token)")
            _ = try registry.refresh(token, scopes: nil, client: client, now: now)
        }
        #expect(registry.find("r1", now: now) == nil && registry.record(of: "r1") == nil)
        #expect(throws: OAuthError.invalidGrant) {
            try registry.refresh("r1", scopes: nil, client: client, now: now)
        }
    }

    @Test func `drops expired tokens before any other`() {
        let registry = GrantRegistry(SimulatorSettings(), journal: Journal(), capacity: 5)
        let grant = grant(0)
        registry.add(grant)
        for number in 0..<10 {
            registry.add("t\(number)", token(grant, issued: now, lasts: number < 5 ? 60 : 1))
        }
        let later = now + .seconds(2)
        registry.add("t10", token(grant, issued: later, lasts: 60))
        for number in [0, 1, 2, 3, 4, 10] {
            #expect(registry.find("t\(number)", now: later) != nil, "\(number)")
        }
        #expect(registry.record(of: "t5") == nil)
    }
}
