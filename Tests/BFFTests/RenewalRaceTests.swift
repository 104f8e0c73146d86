import BFF
import Basics
import JSON
import ResourceServer
import TestSupport
import Testing

@testable import BFF

@Suite("A renewal that another sign-in overtakes", .timeLimit(.minutes(1)))
struct RenewalRaceTests {
    private static let route = RouteDefinition(id: "/api/x", clients: ["standard"], demand: .signedIn)

    /// Runs a renewal, and something else while the provider thinks about it.
    private func renewing<Answer: Sendable>(
        _ fixture: Fixture, _ work: @escaping @Sendable () async throws -> Answer,
        meanwhile other: () async throws -> Void
    ) async throws -> Task<Answer, any Error> {
        fixture.time.advance(by: .seconds(300))
        let gate = Gate()
        fixture.provider.hold(.refresh, at: gate)
        let task = Task { try await work() }
        await gate.waitUntilHeld()
        fixture.provider.hold(.refresh, at: nil)
        try await other()
        gate.open()
        return task
    }

    @Test("goes on with its tokens, and its own are ended", arguments: StoreKind.allCases)
    func silentStart(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let user = try await renewing(fixture, { try await browser.user() }) {
            try await Browser(fixture.backend, cookie: browser.cookie).start()
        }
        #expect(try await user.value["token"]?["expiresIn"]?.int == 300)
        #expect(fixture.provider.grants == ["demo"])
        let token = try await renewing(
            fixture, { try await fixture.backend.token(for: Self.route, account: "", browser.context()) }
        ) {
            try await Browser(fixture.backend, cookie: browser.cookie).start()
        }
        #expect(try await token.value != nil)
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"])
        try await browser.refreshToken()
    }

    @Test("gets nothing of one that came with a new cookie", arguments: StoreKind.allCases)
    func newCookie(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let other = Browser(fixture.backend, cookie: browser.cookie)
        let user = try await renewing(fixture, { try await browser.user() }) {
            try await other.signIn("bob", replace: true)
        }
        await #expect(throws: BFFError.sessionChanged) { try await user.value }
        #expect(try await other.user()["subject"] == "bob" && fixture.provider.grants == ["bob"])
        let old = Browser(fixture.backend, cookie: other.cookie)
        let token = try await renewing(
            fixture, { try await fixture.backend.token(for: Self.route, account: "", old.context()) }
        ) {
            try await other.signIn("demo", replace: true)
        }
        await #expect(throws: BFFError.sessionChanged) { try await token.value }
    }
}
