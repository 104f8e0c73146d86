import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// The browser never sees a secret of the provider, and no log does.
@Suite("No secret")
struct CanaryTests {
    @Test("is in any reply, error or log line, whatever happens", arguments: StoreKind.allCases)
    func canary(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        var browsers: [Browser] = []
        var cookies: [String] = []
        var errors: [String] = []
        func attempt(_ work: () async throws -> Void) async {
            do { try await work() } catch { errors.append("\(error) \(String(reflecting: error))") }
        }
        for user in ["demo", "alice"] {
            let browser = fixture.browser()
            browsers.append(browser)
            fixture.provider.script(.next, .page("Again"), .refused("Wrong"), .failure("x"), .failureAfterSession("y"))
            let page = try await browser.start()
            cookies.append(try #require(browser.cookie))
            var node = page
            for _ in 0..<3 { node = try await browser.next(try Browser.answer(node, [:])) }
            await attempt { try await browser.next(try Browser.login(page, user)) }
            try await browser.next(try Browser.login(try await browser.start(), user))
            try await browser.signIn(user)
            cookies.append(try #require(browser.cookie))
            try await browser.start("transaction")
            cookies.append(try #require(browser.cookie))
            await attempt { try await browser.signIn("mallory", "transaction") }
            try await browser.signIn(user, "admin")
            _ = try await browser.session()
            for instance in ["standard", "transaction", "admin", "kiosk"] {
                await attempt { try await browser.user(instance, refresh: true) }
                fixture.time.advance(by: .seconds(1))
                await attempt { try await browser.refreshToken(instance) }
            }
            for fault in [
                TokenError.unavailable(retryAfter: .seconds(1)), .refused(check: "iss"), .invalidGrant,
            ] {
                fixture.time.advance(by: .seconds(1))
                fixture.provider.fail(.refresh, fault)
                fixture.provider.fail(.userinfo, fault)
                await attempt { try await browser.refreshToken("transaction") }
                await attempt { try await browser.user("transaction", refresh: true) }
            }
            let late = try await browser.start { $0.forceAuth = true }
            var wrong = try Browser.login(late, user)
            wrong.answers.values["pin"] = "1"
            await attempt { try await browser.next(wrong) }
            fixture.store.reset()
            fixture.store.fail(1, .after)
            fixture.store.fail(3, .before)
            await attempt { try await browser.next(try Browser.login(late, user)) }
            let key = try browser.sessionKey()
            for entry in try await fixture.store.inner.read(key, .all).entries where entry.name.hasPrefix("session/") {
                try await fixture.store.inner.commit(key, .update(writes: [.set(entry.name, [1, 2, 3])]))
            }
            await attempt { try await browser.start("transaction") }
            fixture.provider.isDown = true
            await attempt { try await browser.logout("transaction") }
            fixture.provider.isDown = false
            fixture.provider.fail(.revoke, .refused(check: "client authentication"))
            await attempt { try await browser.logoutAll() }
        }
        await fixture.backend.retryRevocations(until: .now + .seconds(5))

        let replies = browsers.flatMap(\.received).map { String(decoding: $0, as: UTF8.self) }
        #expect(replies.count > 20 && errors.count > 4 && fixture.log.lines.count > 20)
        let words = [FakeProvider.canary, FakeProvider.password] + cookies + cookies.map { String($0.suffix(43)) }
        for word in words {
            for text in replies + errors + fixture.log.lines { #expect(!text.contains(word), "\(text)") }
        }
        // Nor does a log line say who it was, or where.
        let flows = Set(replies.flatMap { $0.split(separator: "\"").filter { $0.hasPrefix("f_") }.map(String.init) })
        #expect(flows.count > 4)
        for word in ["demo", "alice", "mallory"] + flows + cookies.map({ String($0.prefix(22)) }) {
            for line in fixture.log.lines { #expect(!line.contains(word), "\(line)") }
        }
    }

    @Test("is in the description of what holds one")
    func descriptions() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let session = try #require(try await fixture.backend.sessions.open(browser.context(), ["token/journey/s/"]))
        var text = ""
        dump(session.tokens("token/journey/s/"), to: &text)
        dump(session.credential, to: &text)
        dump(session.seal.dataKey, to: &text)
        text += "\(session.credential) \(session.seal.dataKey)"
        #expect(!text.contains(FakeProvider.canary))
        #expect(!text.contains(try #require(browser.cookie).suffix(43)))
    }
}
