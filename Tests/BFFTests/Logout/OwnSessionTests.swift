import Basics
import Sessions
import StorageKit
import TestSupport
import Testing

@testable import BFF

/// Who does not get at the sessions of a user, although the cookie was once of one.
@Suite("The own sessions of a user")
struct OwnSessionTests {
    private func isRefused(_ browser: Browser, _ expected: BFFError, at name: String = "standard") async {
        let own = browser.backend.ownSessions
        await #expect(throws: expected) { _ = try await own.list(name, browser.context()) }
        await #expect(throws: expected) { _ = try await own.endOthers(name, browser.context()) }
        await #expect(throws: expected) { try await own.end(name, id: "AAAAAAAAAAAAAAAAAAAAAA", browser.context()) }
    }

    @Test("are neither listed nor ended by a cookie that was replaced", arguments: StoreKind.allCases)
    func oldCookie(_ kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, other) = (try await fixture.signedIn(), try await fixture.signedIn())
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        _ = try await browser.session()
        await isRefused(old, .sessionChanged)
        fixture.time.advance(by: .seconds(25))
        await isRefused(old, .signedOut)
        #expect(try await other.state() == "authenticated")
        #expect(try await fixture.backend.ownSessions.list("standard", browser.context()).count == 2)
    }

    @Test("are neither listed nor ended after the client's own limit", arguments: ["kiosk", "admin"])
    func limit(_ client: String) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn("demo", client)
        let own = fixture.backend.ownSessions
        #expect(try await own.list(client, browser.context()).count == 1)
        fixture.time.advance(by: client == "kiosk" ? .seconds(41) : .seconds(301))
        await isRefused(browser, .signedOut, at: client)
    }
}
