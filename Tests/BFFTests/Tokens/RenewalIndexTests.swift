import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// Sign-ins that the index has lost, as after a fail-over of the store that forgets the last writes.
@Suite("A sign-in that the index has lost")
struct RenewalIndexTests {
    private let fixture: Fixture
    private let user: RemoteEnds.User

    init() throws {
        fixture = try Fixture()
        user = RemoteEnds.User(issuer: fixture.provider.issuer, subject: "demo")
    }

    /// A browser whose sign-in no end finds.
    private func lost() async throws -> Browser {
        let browser = try await fixture.signedIn()
        let index = try #require(fixture.store.inner as? any SessionIndex)
        let keys = fixture.backend.environment.directory.keys
        for name in keys.user(issuer: user.issuer, subject: user.subject) {
            try await index.removeFromIndex(name, try browser.sessionKey())
        }
        return browser
    }

    private func end() async throws -> Int {
        try await fixture.backend.remoteEnds.endAll(of: user, RemoteEndTests.context)
    }

    @Test("is found again after a renewal of its tokens")
    func found() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(300))
        _ = try await browser.user()
        #expect(try await end() == 1)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }

    @Test("is over with the next renewal if its user was ended meanwhile, at the provider too")
    func ended() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(10))
        #expect(try await end() == 0)
        _ = try await browser.user()
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
        #expect(fixture.provider.grants.isEmpty)
        #expect(fixture.told.contains("refresh ended user-ended"))
        #expect(await fixture.backend.ends.reason(of: .signedOut, "standard", browser.context()) == .ended)
    }

    @Test("is renewed where the index has no room or does not answer")
    func full() async throws {
        let browser = try await lost()
        fixture.time.advance(by: .seconds(300))
        fixture.store.countsIndex = true
        fixture.store.reset()
        _ = try await browser.user()
        let calls = fixture.store.calls
        let first = try #require(calls.firstIndex { $0.name == "addToIndex" })
        fixture.time.advance(by: .seconds(300))
        fixture.store.reset()
        for number in first..<(first + 4) { fixture.store.fail(number, .before) }
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.reuses == 0 && fixture.provider.grants == ["demo"])
    }

    @Test("under the name that its provider session has by now is found by that")
    func renamed() async throws {
        fixture.provider.namesSessions = true
        let browser = try await fixture.signedIn()
        let sid = try #require(fixture.provider.sid(of: "demo"))
        fixture.provider.sidSuffix = "-b"
        fixture.time.advance(by: .seconds(300))
        _ = try await browser.user()
        let token = fixture.provider.logoutToken(subject: "demo", sessionID: sid + "-b", id: "j-1")
        try await fixture.backend.remoteEnds.logout("standard", token: Secret(token), RemoteEndTests.context)
        await #expect(throws: BFFError.signedOut) { try await browser.user() }
    }
}
