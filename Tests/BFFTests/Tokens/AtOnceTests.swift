import Basics
import Cryptography
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("User facts at once")
struct AtOnceTests {
    private func reply(_ fixture: Fixture, _ browser: Browser, _ name: String = "standard") throws -> [UInt8]? {
        try fixture.backend.userAtOnce(name, cookie: browser.cookie)?.body
    }

    @Test("are those that come of waiting")
    func same() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let waited = try await fixture.backend.user("standard", refresh: false, browser.context())
        #expect(try reply(fixture, browser) == waited.body)
        // The provider session may bring it tokens; that of another account, or limits, none.
        #expect(try reply(fixture, browser, "transaction") == nil)
        #expect(throws: BFFError.signedOut) { try reply(fixture, browser, "standard:alice") }
        #expect(throws: BFFError.signedOut) { try reply(fixture, browser, "gold") }
        #expect(throws: BFFError.unknownInstance) { try reply(fixture, browser, "nobody") }
        #expect(throws: BFFError.signedOut) { try reply(fixture, fixture.browser()) }
        #expect(throws: BFFError.signedOut) { try reply(fixture, Browser(fixture.backend, cookie: "x")) }
    }

    @Test("are none where a file has to be read")
    func file() async throws {
        let fixture = try Fixture(.file)
        let browser = try await fixture.signedIn()
        #expect(try reply(fixture, browser) == nil)
    }

    @Test("are none where the token is to be renewed, the session moved or a client's own limit has passed")
    func waits() async throws {
        let fixture = try Fixture()
        fixture.provider.tokenLife = .seconds(90)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", "kiosk")
        _ = try await browser.session()
        #expect(try reply(fixture, browser) != nil && reply(fixture, browser, "kiosk") != nil)
        // A quarter of the 40 s of `kiosk`: its use is to be written down.
        fixture.time.advance(by: .seconds(10))
        #expect(try reply(fixture, browser) != nil && reply(fixture, browser, "kiosk") == nil)
        fixture.time.advance(by: .seconds(30))
        // Over by its own limit: ending it waits for the provider. `standard` is due for renewal.
        #expect(try reply(fixture, browser, "kiosk") == nil)
        fixture.time.advance(by: .seconds(10))
        #expect(try reply(fixture, browser) == nil)
        try await browser.user()
        #expect(try reply(fixture, browser) != nil)
        fixture.time.advance(by: .seconds(3600))
        #expect(throws: BFFError.signedOut) { try reply(fixture, browser) }
    }

    @Test("are none where the ticket is to be wrapped anew")
    func rewrap() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let newest = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        let both = try fixture.another(keys: [newest, fixture.key])
        #expect(try both.userAtOnce("standard", cookie: browser.cookie) == nil)
        try await browser.at(both).user()
        #expect(try both.userAtOnce("standard", cookie: browser.cookie) != nil)
    }

    @Test("are none while a change of cookie is to be decided on, and of a cookie that was replaced")
    func superseded() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let old = Browser(fixture.backend, cookie: browser.cookie)
        #expect(try reply(fixture, old) != nil)
        try await browser.signIn("demo", "transaction")
        #expect(try reply(fixture, old) == nil && reply(fixture, browser, "transaction") == nil)
        #expect(try await old.user() == browser.user())
        #expect(try reply(fixture, old) == nil && reply(fixture, browser, "transaction") != nil)
        fixture.time.advance(by: .seconds(10))
        #expect(try reply(fixture, old) == nil)
        await #expect(throws: BFFError.signedOut) { try await old.user() }
    }

    @Test("of a record that was changed are absent, with an alarm")
    func tampered() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let key = try browser.sessionKey()
        let entries = try await fixture.store.inner.read(key, .all).entries
        let ticket = try #require(SessionCredential(cookieValue: browser.cookie ?? "")).ticketField
        for name in ["user/journey/s/", ticket] {
            let entry = try #require(entries.first { $0.name == name })
            var value = entry.field.value
            value[value.count - 1] ^= 1
            try await fixture.store.inner.commit(key, .update(writes: [.set(entry.name, value)]))
            let alarms = fixture.log.lines.count { $0.contains("does not open") }
            #expect(throws: BFFError.signedOut) { try reply(fixture, browser) }
            #expect(fixture.log.lines.count { $0.contains("does not open") } == alarms + 1)
            try await fixture.store.inner.commit(key, .update(writes: [.set(entry.name, entry.field.value)]))
            #expect(try reply(fixture, browser) != nil)
        }
    }

    @Test("have an overview of the session beside them, which is the one that comes of waiting")
    func overview() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        func atOnce(_ browser: Browser) throws -> SessionOverview? {
            try fixture.backend.sessionAtOnce(cookie: browser.cookie, startCookie: browser.startCookie)
        }
        func waited(_ browser: Browser) async throws -> SessionOverview {
            try await fixture.backend.session(browser.context())
        }
        #expect(try await atOnce(browser) == waited(browser))
        try await browser.signIn("alice", "standard:alice")
        // The change of cookie is still to be confirmed.
        #expect(try atOnce(browser) == nil)
        try await browser.user("standard:alice")
        #expect(try await atOnce(browser) == waited(browser))
        #expect(try atOnce(browser)?.accounts == ["", "alice"])
        // Without a cookie, and with one that opens nothing.
        #expect(try await atOnce(fixture.browser()) == waited(fixture.browser()))
        let stranger = Browser(fixture.backend, cookie: "x")
        #expect(try await atOnce(stranger) == waited(stranger))
        // A session without a sign-in: its cookie may have to decide about a sign-in whose answer was lost.
        let beginner = fixture.browser()
        try await beginner.start()
        #expect(try fixture.backend.sessionAtOnce(cookie: nil, startCookie: beginner.startCookie) == nil)
        // The end by a client's own idle timeout stands in another record.
        try await browser.signIn("demo", "kiosk")
        try await browser.user("kiosk")
        #expect(try atOnce(browser) == nil)
    }
}
