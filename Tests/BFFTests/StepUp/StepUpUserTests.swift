import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// Whose step-up it is, while somebody else takes the user's place.
@Suite("A step-up whose user is replaced meanwhile")
struct StepUpUserTests {
    /// Two tabs of a browser: one whose step signs bob in and is at the provider, and one at the page of a step-up, with
    /// a cookie of its own.
    private func tabs(_ kind: StoreKind) async throws -> (
        Fixture, browser: Browser, answer: NextRequest, bob: Task<JSONValue, any Error>, gate: Gate
    ) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let other = browser.at(fixture.backend)
        let page = try await other.start {
            $0.forceAuth = true
            $0.replace = true
        }
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let body = try Browser.login(page, "bob")
        let bob = Task { try await other.next(body) }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await browser.signIn("demo")
        _ = try await browser.session()
        fixture.provider.authLevel = 3
        let answer = try Browser.login(try await browser.start("gold") { $0.goal = "high" })
        fixture.store.reset()
        return (fixture, browser, answer, bob, gate)
    }

    @Test(
        "by a step that was under way sends the provider no answer after that, at whatever call it comes",
        arguments: StoreKind.allCases)
    func overtaken(kind: StoreKind) async throws {
        let counted = try await tabs(kind)
        try await counted.browser.next(counted.answer, "gold")
        counted.gate.open()
        _ = try? await counted.bob.value
        // The commit by which the answer is on its way.
        let sending = try #require(counted.0.store.calls.firstIndex { $0.name == "commit" })
        #expect(sending > 2)
        for number in 0..<sending {
            let (fixture, browser, answer, bob, gate) = try await tabs(kind)
            let provider = fixture.provider
            let sent = Locked(-1)
            fixture.store.before(number) {
                gate.open()
                _ = try? await bob.value
                sent.withLock { $0 = provider.count(.next) }
            }
            await #expect(throws: BFFError.flowExpired, "\(number)") { try await browser.next(answer, "gold") }
            #expect(provider.count(.next) == sent.withLock { $0 }, "\(number)")
            #expect(try await browser.user()["subject"] == "bob")
        }
    }
}
