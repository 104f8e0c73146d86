import BFF
import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("A cookie that is handed out late")
struct FreshCookieTests {
    @Test("is looked at again where the store was long about it, and goes out when it is the newest")
    func newest() async throws {
        func reads(_ fresh: Duration) async throws -> Int {
            let fixture = try Fixture { $0.freshCookie = fresh }
            let browser = fixture.browser()
            let body = try Browser.login(try await browser.start())
            fixture.store.reset()
            try await browser.next(body)
            let reads = fixture.store.calls.count { $0.name == "read" }
            #expect(try await browser.user()["subject"] == "demo")
            return reads
        }
        let (late, fresh) = (try await reads(.zero), try await reads(.seconds(60)))
        #expect(late == fresh + 1)
    }

    @Test("does not go out when the store is long about each look, until the request's time is over")
    func noTime() async throws {
        let fixture = try Fixture {
            $0.freshCookie = .zero
            $0.freshLook = .zero
        }
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        let old = browser.cookie
        await #expect(throws: BFFError.storeUnavailable(retryAfter: .seconds(1))) {
            try await browser.next(body, within: .milliseconds(400))
        }
        #expect(browser.cookie == old)
        #expect(browser.cookie == old && fixture.provider.count(.next) == 1)
    }

    @Test("does not go out when another one has taken its place", arguments: StoreKind.allCases)
    func replaced(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.freshCookie = .zero }
        let browser = fixture.browser()
        let body = try Browser.login(try await browser.start())
        let (old, store) = (browser.cookie, fixture.store)
        let other = Browser(try fixture.another(), cookie: old)
        // Sent, stored, and then looked at.
        store.before("commit") {
            store.before("commit") {
                store.before("read") {
                    _ = try? await other.next(body)
                    _ = try? await other.signIn("demo", "transaction")
                }
            }
        }
        // Nor does what it would have told: the browser asks again with the newest one.
        await #expect(throws: BFFError.sessionChanged) { try await browser.next(body) }
        #expect(browser.cookie == old && other.cookie != old)
        #expect(try await other.user("transaction")["subject"] == "demo")
    }

    @Test("of a start does not go out when its session has ended by the one before", arguments: StoreKind.allCases)
    func ended(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.freshCookie = .zero }
        let browser = try await fixture.signedIn()
        let (old, store) = (browser.cookie, fixture.store)
        let other = Browser(try fixture.another(store: FaultyStore(store.inner)), cookie: old)
        fixture.provider.script(.start, .success("demo"))
        store.before("commit") {
            store.before("read") { _ = try? await other.logoutAll() }
        }
        await #expect(throws: BFFError.sessionChanged) { try await browser.start { $0.forceAuth = true } }
        #expect(browser.cookie == old && other.cookie == nil)
    }
}
