import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

@Suite("Why nobody is signed in, or a flow is over,")
struct EndReasonTests {
    private func why(
        _ browser: Browser, _ error: BFFError = .signedOut, _ name: String? = "standard", flow: String? = nil
    ) async -> EndReason? {
        await browser.backend.ends.reason(of: error, name, flow: flow, browser.context())
    }

    private func signedOut(_ browser: Browser, _ name: String = "standard") async {
        await #expect(throws: BFFError.signedOut) { try await browser.user(name) }
    }

    @Test("is that nobody used the session", arguments: StoreKind.allCases)
    func idle(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(1000))
        _ = try await browser.user()
        fixture.time.advance(by: .seconds(1799))
        _ = try await browser.user()
        fixture.time.advance(by: .seconds(1800))
        await signedOut(browser)
        #expect(await why(browser) == .idle)
        #expect(await why(browser, .stepUpFailed) == nil)
        // What another process wrote has no reason here.
        #expect(await why(browser.at(try fixture.another())) == nil)
    }

    @Test("is that its time was over, however busy it was", arguments: StoreKind.allCases)
    func absolute(kind: StoreKind) async throws {
        let fixture = try Fixture(kind) { $0.absolute = .seconds(3000) }
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        for _ in 0..<2 {
            fixture.time.advance(by: .seconds(1400))
            _ = try await browser.user()
        }
        fixture.time.advance(by: .seconds(200))
        await signedOut(browser)
        #expect(await why(browser) == .absolute)
    }

    @Test("is that another tab ended it", arguments: StoreKind.allCases)
    func ended(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let tab = browser.at(fixture.backend)
        try await browser.logoutAll()
        await signedOut(tab)
        #expect(await why(tab) == .ended)
        // A logout at another process is known by what this one knew of the session.
        let other = try await fixture.signedIn()
        let left = other.at(fixture.backend)
        try await other.at(try fixture.another()).logoutAll()
        await signedOut(left)
        #expect(await why(left) == .ended)
    }

    @Test("is a limit of the client, in a session that lives", arguments: StoreKind.allCases)
    func limits(kind: StoreKind) async throws {
        for (client, seconds, reason) in [("kiosk", 40, EndReason.idle), ("admin", 300, .absolute)] {
            let fixture = try Fixture(kind)
            let browser = try await fixture.signedIn()
            try await browser.signIn("demo", client)
            _ = try await browser.session()
            fixture.time.advance(by: .seconds(seconds))
            await signedOut(browser, client)
            #expect(await why(browser, .signedOut, client) == reason)
            #expect(await why(browser) == nil)
            #expect(await why(browser, .signedOut, nil) == nil)
            // The next sign-in is another one.
            try await browser.signIn("demo", client)
            #expect(await why(browser, .signedOut, client) == nil)
        }
    }

    @Test("is not known of what never was")
    func never() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        #expect(await why(browser) == nil)
        #expect(await why(browser, .flowExpired, flow: FlowRecord.newID()) == nil)
        #expect(await why(Browser(fixture.backend, cookie: "x")) == nil)
        try await browser.start()
        #expect(await why(browser) == nil)
        // Nobody had signed in to what is over.
        fixture.time.advance(by: .seconds(36_000))
        #expect(await why(browser) == nil)
    }

    @Test("is told to whoever has the secret, not to who knows the name of a session")
    func stranger() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let credential = try #require(browser.cookie.flatMap { SessionCredential(cookieValue: $0) })
        let stranger = Browser(fixture.backend, cookie: credential.withNewSecret().cookieValue)
        await signedOut(stranger)
        #expect(await why(stranger) == nil)
        #expect(fixture.backend.ends.signedOutAtOnce(InstanceName("standard"), stranger.cookie) == nil)
        #expect(await why(stranger, .flowExpired, flow: FlowRecord.newID()) == nil)
    }

    @Test("is asked of the store only where something is known")
    func unasked() async throws {
        let fixture = try Fixture()
        let strange = Browser(fixture.backend, cookie: SessionCredential.generate().cookieValue)
        fixture.store.reset()
        #expect(await why(strange) == nil)
        #expect(fixture.store.calls.isEmpty)
    }

    @Test("of a flow is that of a flow that was, at its instance")
    func strangeFlows() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let flow = try #require(try await browser.start { $0.forceAuth = true }["flow"]?.string)
        for odd in ["", "x", "f_", String(repeating: "f", count: 400)] {
            #expect(await why(browser, .flowExpired, flow: odd) == nil)
        }
        #expect(await why(browser, .flowExpired, "second", flow: flow) == nil)
    }

    @Test("is the time of the flow, or that somebody ended it", arguments: StoreKind.allCases)
    func flows(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.tokenLife = .seconds(36_000)
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        let flow = try #require(page["flow"]?.string)
        fixture.time.advance(by: .seconds(600))
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        #expect(await why(browser, .flowExpired, flow: flow) == .absolute)
        let other = try #require(try await browser.start { $0.forceAuth = true }["flow"]?.string)
        try await fixture.backend.cancelFlow("standard", other, browser.context())
        #expect(await why(browser, .flowExpired, flow: other) == .ended)
    }
}
