import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

/// A tab signs out of one instance, with a cookie that another tab's sign-in has just replaced.
@Suite("A logout of one instance with a cookie that was replaced")
struct OldCookieLogoutTests {
    /// What ends a part of a session.
    enum Part: CaseIterable, Sendable {
        case logout, never, everythingOfIt, account, revoke, cancel

        func end(_ browser: Browser, _ flow: JSONValue) async throws {
            switch self {
            case .logout: try await browser.logout()
            case .never: try await browser.logout("kiosk")
            case .everythingOfIt: try await browser.logout(session: true)
            case .account: try await browser.logoutAll(account: "")
            case .revoke: _ = try await browser.revokeToken()
            case .cancel: try await browser.cancel(flow)
            }
        }
    }

    private func raised(_ kind: StoreKind) async throws -> (Fixture, Browser, old: Browser, flow: JSONValue) {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let flow = try await browser.start { $0.forceAuth = true }
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        return (fixture, browser, old, flow)
    }

    @Test(
        "undoes no sign-in of another tab, and is repeated with the new one", arguments: Part.allCases,
        StoreKind.allCases)
    func undoesNothing(part: Part, kind: StoreKind) async throws {
        let (fixture, browser, old, flow) = try await raised(kind)
        await #expect(throws: BFFError.sessionChanged) { try await part.end(old, flow) }
        #expect(fixture.provider.grants.count == 2)
        #expect(try await browser.user("transaction")["subject"] == "demo")
        // Final or not.
        await #expect(throws: BFFError.sessionChanged) { try await part.end(old, flow) }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.flow(flow)["step"] == 1)
        try await part.end(browser, flow)
        if part != .cancel, part != .never {
            await #expect(throws: BFFError.signedOut) { try await browser.user() }
        }
    }

    @Test("ends nothing of what came meanwhile, at whatever moment that is", arguments: Part.allCases)
    func meanwhile(part: Part) async throws {
        for number in 0..<12 {
            let fixture = try Fixture()
            let browser = try await fixture.signedIn()
            let flow = try await browser.start { $0.forceAuth = true }
            let other = browser.at(try fixture.another())
            fixture.store.reset()
            fixture.store.before(number) {
                _ = try? await other.signIn("demo", "transaction")
            }
            do {
                try await part.end(browser, flow)
            } catch BFFError.sessionChanged {
                #expect(try await other.user("transaction")["subject"] == "demo", "\(number)")
                #expect(try await other.user()["subject"] == "demo", "\(number)")
            }
        }
    }

    @Test("takes the change back where the new one never came, as any request does", arguments: StoreKind.allCases)
    func lost(kind: StoreKind) async throws {
        let (fixture, browser, old, _) = try await raised(kind)
        fixture.time.advance(by: .seconds(10))
        try await old.logout()
        await #expect(throws: BFFError.signedOut) { try await old.user() }
        await #expect(throws: BFFError.signedOut) { try await browser.user("transaction") }
        #expect(fixture.provider.grants.isEmpty)
    }
}
