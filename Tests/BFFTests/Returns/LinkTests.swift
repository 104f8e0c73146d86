import JSON
import TestSupport
import Testing

@testable import BFF

@Suite("The link of a suspended journey")
struct LinkTests {
    /// A browser whose flow waits for a link.
    private func waiting(_ fixture: Fixture, _ browser: Browser) async throws -> JSONValue {
        fixture.provider.script(.start, .page(FakeProvider.mailPage))
        let page = try await browser.start { $0.forceAuth = true }
        #expect(page["suspended"] == true)
        return page
    }

    @Test("goes on in the browser where a flow waits for it, with its session; that flow ends")
    func same() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let page = try await waiting(fixture, browser)
        fixture.provider.script(.start, .page("Again"))
        let opened = try await browser.open(link: "id-1")
        #expect(opened["stage"] == "Again" && opened["crossBrowser"] == nil)
        #expect(fixture.provider.lastStart?.suspendedID == "id-1")
        #expect(fixture.provider.lastSession != nil)
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
    }

    struct Failed: Error {}

    @Test("is not lost where the store does not end the flow that waited: what it brought is stored")
    func unended() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        _ = try await waiting(fixture, browser)
        fixture.provider.script(.start, .success("demo"))
        fixture.store.fail("commit", of: try browser.sessionKey(), .before, .before, .before, .before)
        #expect(try await browser.open(link: "id-1")["signedIn"] == true)
        #expect(try await browser.state() == "authenticated")
    }

    @Test("that the provider does not take leaves the flow waiting")
    func refused() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await waiting(fixture, browser)
        fixture.provider.script(.start, .failure("suspended-expired"))
        #expect(try await browser.open(link: "id-1")["reason"] == "suspended-expired")
        #expect(try await browser.flow(page)["suspended"] == true)
    }

    @Test("begins a flow of its own elsewhere, which is marked and sends no session of this browser")
    func elsewhere() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Again"))
        let opened = try await browser.open(link: "id-1")
        #expect(opened["crossBrowser"] == true)
        #expect(fixture.provider.lastSession == nil)
        #expect(try await browser.flow(opened)["crossBrowser"] == true)
        fixture.provider.script(.next, .page("Again"))
        _ = try await browser.next(try Browser.answer(opened, ["code": "1"]))
        #expect(fixture.provider.lastSession == nil)
    }

    @Test("signs in where nobody is")
    func free() async throws {
        let fixture = try Fixture()
        fixture.provider.script(.start, .success("eve"))
        #expect(try await fixture.browser().open(link: "id-1")["signedIn"] == true)
    }

    @Test("that signs in where no flow waited says so at the end, at once or after pages, and again to who asks again")
    func said() async throws {
        let fixture = try Fixture()
        fixture.provider.script(.start, .success("eve"))
        #expect(try await fixture.browser().open(link: "id-1")["crossBrowser"] == true)
        let browser = fixture.browser()
        fixture.provider.script(.start, .page("Again"))
        let page = try await browser.open(link: "id-2")
        let answer = try Browser.answer(page, ["code": "1"])
        fixture.provider.script(.next, .success("eve"))
        let before = browser.at(fixture.backend)
        let end = try await browser.next(answer)
        #expect(end["signedIn"] == true && end["crossBrowser"] == true)
        #expect(try await before.next(answer)["crossBrowser"] == true)
        let waiting = fixture.browser()
        _ = try await self.waiting(fixture, waiting)
        fixture.provider.script(.start, .success("demo"))
        #expect(try await waiting.open(link: "id-3")["crossBrowser"] == nil)
    }

    @Test("is for the flow that waits, of the instance that waits")
    func instances() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await waiting(fixture, browser)
        fixture.provider.script(.start, .page("Again"))
        #expect(try await browser.open(link: "id-1", "second")["crossBrowser"] == true)
        #expect(try await browser.flow(page)["suspended"] == true)
        await #expect(throws: BFFError.self) { try await browser.next(try Browser.answer(page, [:])) }
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("is for a flow whose time is not over")
    func late() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        _ = try await waiting(fixture, browser)
        fixture.time.advance(by: .seconds(600))
        fixture.provider.script(.start, .page("Again"))
        #expect(try await browser.open(link: "id-1")["crossBrowser"] == true)
        #expect(fixture.provider.lastSession == nil)
    }

    @Test("is not for a flow that was begun with other settings of the client")
    func otherSettings() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        _ = try await waiting(fixture, browser)
        fixture.provider.script(.start, .page("Again"))
        let later = browser.at(try fixture.another(fingerprint: [1]))
        #expect(try await later.open(link: "id-1")["crossBrowser"] == true)
    }

    @Test("goes on with no flow that waits for something else")
    func otherPage() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let page = try await browser.start { $0.forceAuth = true }
        fixture.provider.script(.start, .page("Again"))
        #expect(try await browser.open(link: "id-1")["crossBrowser"] == true)
        #expect(try await browser.flow(page)["type"] == "continue")
    }
}
