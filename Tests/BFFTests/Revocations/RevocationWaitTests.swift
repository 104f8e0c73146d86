import BFF
import Basics
import JSON
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A revocation that the provider refuses because it does not know us")
struct RevocationWaitTests {
    private static let fault = TokenError.unknownClient(check: "client authentication")

    /// A logout whose revocation is refused, and as many later ones.
    private func refused(_ fixture: Fixture, times: Int) async throws {
        let browser = try await fixture.signedIn()
        for _ in 0..<times { fixture.provider.fail(.revoke, Self.fault) }
        try await browser.logoutAll()
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.isEmpty)
    }

    private func retry(_ backend: Backend) async {
        await backend.retryRevocations(until: .now + .seconds(5))
    }

    private func warnings(_ fixture: Fixture) -> Int {
        fixture.log.lines.count { $0.contains("does not know the client") }
    }

    @Test("waits and goes through once the provider does", arguments: StoreKind.allCases)
    func waits(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        try await refused(fixture, times: 2)
        await retry(fixture.backend)
        #expect(fixture.provider.count(.revoke) == 2 && fixture.provider.grants == ["demo"])
        fixture.time.advance(by: .seconds(30))
        await retry(fixture.backend)
        #expect(fixture.provider.grants.isEmpty)
        await retry(fixture.backend)
        #expect(fixture.provider.count(.revoke) == 3)
        #expect(fixture.log.lines.contains { $0.contains("client authentication") })
    }

    @Test("is asked for less and less often, up to ten minutes")
    func backOff() async throws {
        let fixture = try Fixture()
        try await refused(fixture, times: 100)
        var asked: [Int] = []
        for second in stride(from: 0, through: 3600, by: 10) {
            let before = fixture.provider.count(.revoke)
            await retry(fixture.backend)
            if fixture.provider.count(.revoke) > before { asked.append(second) }
            fixture.time.advance(by: .seconds(10))
        }
        #expect(asked == [0, 30, 90, 210, 450, 930, 1530, 2130, 2730, 3330])
    }

    @Test("goes through at once after new settings, however long it was refused before")
    func reload() async throws {
        let fixture = try Fixture()
        try await refused(fixture, times: 5)
        for _ in 0..<4 {
            fixture.time.advance(by: .seconds(600))
            await retry(fixture.backend)
        }
        #expect(fixture.provider.grants == ["demo"])
        await retry(try fixture.another())
        #expect(fixture.provider.grants.isEmpty)
    }

    @Test("is told to the log once a minute")
    func oneWarning() async throws {
        let fixture = try Fixture()
        for _ in 0..<5 { try await refused(fixture, times: 1); fixture.provider.forgetGrants() }
        #expect(warnings(fixture) == 1)
        fixture.time.advance(by: .seconds(60))
        try await refused(fixture, times: 1)
        #expect(warnings(fixture) == 2)
    }

    @Test("waits until its tokens end, and is then forgotten", arguments: StoreKind.allCases)
    func untilTheEnd(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.revocations = .seconds(7 * 86_400) }
        let now = fixture.time.now()
        func tokens(_ refreshToken: String?, _ end: Duration?) -> Revocable {
            .tokens(
                TokenSet(
                    accessToken: Secret("a"), refreshToken: refreshToken.map { Secret($0) }, scopes: [], issuedAt: now,
                    expiresAt: end.map { now + $0 }, issuer: "i", clientID: "c", subject: "s"
                ).encoded, "standard")
        }
        func jwt(_ seconds: Int64) -> String {
            Base64URL.encode(#"{"alg":"HS256"}"#.utf8) + "."
                + Base64URL.encode(#"{"exp":\#(now.seconds + seconds)}"#.utf8) + ".AA"
        }
        let week = Duration.seconds(7 * 86_400)
        func end(_ item: Revocable) -> Timestamp { item.entry(nil).end(now, keep: week) }
        #expect(end(tokens(nil, .seconds(300))) == now + .seconds(300))
        #expect(end(tokens(nil, .seconds(-5))) == now + .seconds(60))
        #expect(end(tokens(nil, nil)) == now + week)
        #expect(end(tokens("opaque", .seconds(300))) == now + week)
        #expect(end(tokens(jwt(86_400), .seconds(300))) == now + .seconds(86_400))
        #expect(end(tokens(jwt(10), .seconds(300))) == now + .seconds(300))
        #expect(end(tokens(jwt(1_000_000_000), .seconds(300))) == now + week)
        #expect(end(.session([1], "standard")) == now + week)

        try await fixture.backend.sessions.revocations.queue.add([tokens(nil, .seconds(300)), tokens(jwt(86_400), nil)])
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().count == 2)
        fixture.time.advance(by: .seconds(300))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().count == 1)
        // Another job is added later, and does not shorten the life of the first.
        try await fixture.backend.sessions.revocations.queue.add([tokens(nil, .seconds(1))])
        fixture.time.advance(by: .seconds(86_099))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().count == 1)
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
    }

    @Test("says so to the browser, whose tokens are gone all the same")
    func answer() async throws {
        for (fault, pending): (TokenError, Bool) in [
            (Self.fault, true), (.unavailable(retryAfter: .seconds(1)), true), (.unsupported, false),
            (.refused(check: "status 404"), false),
        ] {
            let fixture = try Fixture()
            let browser = try await fixture.signedIn()
            fixture.provider.fail(.revoke, fault)
            let answer = try await browser.revokeToken()
            #expect(answer == ["revoked": false, "pending": .bool(pending)])
            await #expect(throws: BFFError.signedOut) { try await browser.user() }
            #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty != pending)
        }
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        #expect(try await browser.revokeToken() == .null)
        // Nothing is left to revoke.
        #expect(try await browser.revokeToken() == .null)
    }

    @Test("that could not be written down is not said to be tried again")
    func unwritten() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.fail(.revoke, Self.fault)
        let fates = await fixture.backend.sessions.revocations.tryOnce([.tokens([1], "gone")], browser.context())
        #expect(fates == [.impossible])
        #expect(
            RevocationOutcome.all([.ended, .pending, .impossible]) == .impossible
                && RevocationOutcome.all([.pending, .ended]) == .pending)
        #expect(RevocationOutcome.all([.ended]) == .ended && RevocationOutcome.all([]) == .ended)
    }
}
