import BFF
import Basics
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("A cookie, asked whether a user is signed in by it,")
struct KnownSignInTests {
    private func reads(_ fixture: Fixture) -> Int { fixture.store.calls.count { $0.name == "read" } }

    @Test("says so of a signed-in session, and the store is asked once in ten seconds", arguments: StoreKind.allCases)
    func signedIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        fixture.store.reset()
        for _ in 0..<20 { #expect(await fixture.backend.isSignedIn(browser.cookie)) }
        #expect(reads(fixture) == 1)
        fixture.time.advance(by: KnownSignIns.lifetime)
        #expect(await fixture.backend.isSignedIn(browser.cookie))
        #expect(reads(fixture) == 2)
    }

    @Test("does not say so of anything that costs no sign-in")
    func free() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        _ = try await browser.start()
        let anonymous = try #require(browser.cookie)
        #expect(await !fixture.backend.isSignedIn(anonymous))
        try await browser.signIn()
        _ = try await browser.session()
        let signedIn = try #require(browser.cookie)
        #expect(signedIn != anonymous)
        let made = SessionCredential.generate().cookieValue
        // Of a session that lives, with a secret of one's own.
        let tag = try #require(signedIn.split(separator: ".").first)
        let secret = try #require(made.split(separator: ".").last)
        for cookie in [nil, "", "x", anonymous, made, "\(tag).\(secret)"] {
            #expect(await !fixture.backend.isSignedIn(cookie), "\(cookie ?? "none")")
        }
        #expect(await fixture.backend.isSignedIn(signedIn))
    }

    @Test("does not say so of a session that has ended, a while later at most")
    func ended() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let cookie = browser.cookie
        #expect(await fixture.backend.isSignedIn(cookie))
        try await browser.logoutAll()
        fixture.time.advance(by: KnownSignIns.lifetime)
        #expect(await !fixture.backend.isSignedIn(cookie))
    }

    @Test("does not say so while the store cannot be asked, and keeps no such answer")
    func away() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.store.isDown = true
        #expect(await !fixture.backend.isSignedIn(browser.cookie))
        fixture.store.isDown = false
        #expect(await fixture.backend.isSignedIn(browser.cookie))
    }
}
