import Basics
import Cryptography
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF

@Suite("Somebody who leaves in a flow")
struct ReturnTests {
    /// A browser whose flow shows a page that sends its user away.
    func away(
        _ fixture: Fixture, _ page: String = "Elsewhere", _ change: (inout StartRequest) -> Void = { _ in }
    ) async throws -> (Browser, JSONValue) {
        let browser = fixture.browser()
        fixture.provider.script(.start, .page(page))
        return (browser, try await browser.start("standard", change))
    }

    func handle(_ arrival: Arrival) throws -> String { try #require(arrival.handle) }

    @Test("comes back and goes on, once, with what they brought and nothing else", arguments: StoreKind.allCases)
    func whole(_ kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (browser, page) = try await away(fixture)
        let leaving = try await browser.leave(page)
        guard case .to(let departure, _) = leaving else { throw Failed() }
        #expect(departure.address == "https://social.example.com/authorize?state=s-1")
        let arrival = try await browser.arrive(["code": "c", "state": "s-1", "session_state": "x"])
        #expect(arrival.target == "/")
        fixture.provider.script(.next, .success("demo"))
        let done = try await browser.resume(try handle(arrival))
        #expect(done["signedIn"] == true)
        #expect(fixture.provider.returned == [["code": "c", "state": "s-1"]])
        // The same handle again has the same answer, and nobody is asked.
        #expect(try await browser.resume(try handle(arrival))["signedIn"] == true)
        #expect(fixture.provider.count(.next) == 1)
    }

    struct Failed: Error {}

    @Test("leaves by a handle once, and by a fresh one again")
    func once() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        #expect(try await browser.leave(page) == .expired(target: "/"))
        let fresh = try await browser.flow(page)
        #expect(try Browser.handle(fresh) != Browser.handle(page))
        guard case .to = try await browser.leave(fresh) else { throw Failed() }
        // Who left twice from one page comes back once.
        fixture.provider.script(.next, .page("Again"))
        _ = try await browser.resume(try self.handle(try await browser.arrive(["state": "s-1"])))
        #expect(try await browser.arrive(["state": "s-1"]).handle == nil)
    }

    @Test("of two who use one handle at once one leaves")
    func race() async throws {
        let fixture = try Fixture(.file)
        let (browser, page) = try await away(fixture)
        let other = browser.at(try fixture.another())
        async let first = browser.leave(page)
        async let second = other.leave(page)
        let both = try await [first, second]
        #expect(both.count { $0 == .expired(target: "/") } == 1)
    }

    @Test("does not leave by a handle of another session, instance, page or time, and not without a cookie")
    func foreign() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        let handle = try Browser.handle(page)
        let (stranger, other) = try await away(fixture)
        let expired = Leaving.expired(target: "/")
        #expect(try await stranger.leave(handle: handle) == expired)
        #expect(try await fixture.browser().leave(handle: handle) == expired)
        #expect(try await browser.leave(handle: handle, "second") == expired)
        #expect(try await browser.leave(handle: try Browser.handle(other)) == expired)
        for odd in ["", "x", handle + "x", String(repeating: "A", count: 22)] {
            #expect(try await browser.leave(handle: odd) == expired)
        }
        // The page of before.
        fixture.provider.script(.next, .page("Elsewhere2"))
        _ = try await browser.leave(page)
        let moved = try await browser.resume(try self.handle(try await browser.arrive(["state": "s-1"])))
        #expect(try await browser.leave(handle: handle) == expired)
        fixture.time.advance(by: .seconds(600))
        #expect(try await browser.leave(moved) == expired)
    }

    @Test("does not leave when the time of the flow is over, although that of the session is not")
    func flowIsOver() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Elsewhere"))
        let page = try await browser.start { $0.forceAuth = true }
        fixture.time.advance(by: .seconds(600))
        #expect(try await browser.leave(page) == .expired(target: "/"))
    }

    @Test("does not leave while what was brought back is on its way to the provider")
    func underWay() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let handle = try handle(try await browser.arrive(["state": "s-1"]))
        fixture.provider.script(.next, .page("Again"))
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        async let end = browser.resume(handle)
        await gate.waitUntilHeld()
        #expect(try await browser.leave(try await browser.flow(page)) == .expired(target: "/"))
        gate.open()
        #expect(try await end["stage"] == "Again")
    }

    @Test("does not leave with a cookie that another one has replaced")
    func replacedCookie() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Elsewhere"))
        let page = try await browser.start { $0.forceAuth = true }
        let former = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        try #require(browser.cookie != former.cookie)
        #expect(try await former.leave(page) == .expired(target: "/"))
        guard case .to = try await browser.leave(page) else { throw Failed() }
    }

    @Test("does not leave with a cookie that was replaced unseen by its process, and is sent back to the application")
    func unconfirmedCookie() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Elsewhere"))
        let page = try await browser.start { $0.forceAuth = true }
        let former = browser.at(try fixture.another())
        try await browser.signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(12))
        #expect(try await former.leave(page) == .expired(target: "/"))
        guard case .to = try await browser.leave(page) else { throw Failed() }
    }

    @Test("is not waited for without the cookie, at another client, or with another state")
    func strangers() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let nobody = Arrival(target: "/")
        #expect(try await fixture.browser().arrive(["state": "s-1"]) == nobody)
        #expect(try await browser.arrive(["state": "s-1"], "second") == nobody)
        #expect(try await browser.arrive(["state": "s-2"]) == nobody)
        #expect(try await browser.arrive(["code": "c"]) == nobody)
        let kept = browser.returnCookie
        let other = kept?.first == "A" ? "B" : "A"
        for odd in ["", "x", other + (kept ?? "").dropFirst(), browser.cookie ?? ""] {
            browser.returnCookie = odd
            #expect(try await browser.arrive(["state": "s-1"]) == nobody)
        }
        browser.returnCookie = kept
        let first = try handle(try await browser.arrive(["state": "s-1"]))
        let second = try handle(try await browser.arrive(["state": "s-1"]))
        // Nobody goes on twice, and who has gone on is waited for no more.
        fixture.provider.script(.next, .refused("No"))
        _ = try await browser.resume(first)
        await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(second) }
        #expect(try await browser.arrive(["state": "s-1"]) == nobody)
    }

    @Test("is not waited for after ten minutes")
    func late() async throws {
        let fixture = try Fixture { $0.flow = .seconds(3600) }
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        fixture.time.advance(by: .seconds(600))
        #expect(try await browser.arrive(["state": "s-1"]).handle == nil)
    }

    @Test("is not waited for after ten minutes, although somebody who left later is")
    func lateBesideAnother() async throws {
        let fixture = try Fixture { $0.flow = .seconds(3600) }
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        fixture.time.advance(by: .seconds(300))
        fixture.provider.script(.start, .page("Elsewhere2"))
        _ = try await browser.leave(try await browser.start())
        fixture.time.advance(by: .seconds(300))
        #expect(try await browser.arrive(["state": "s-1"]).handle == nil)
        #expect(try await browser.arrive(["state": "s-2"]).handle != nil)
    }

    @Test("brings nothing twice")
    func twice() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let fields = [("state", "s-1"), ("code", "a"), ("code", "b")].map { Departure.Field(name: $0.0, value: $0.1) }
        await #expect(throws: BFFError.repeated(field: "code")) {
            try await fixture.backend.returns.arrive("standard", fields, cookie: browser.returnCookie)
        }
        await #expect(throws: BFFError.unknownInstance) {
            try await fixture.backend.returns.arrive("standard:alice", [], cookie: browser.returnCookie)
        }
        // It was not taken for somebody who came.
        #expect(try await browser.arrive(["state": "s-1"]).handle != nil)
    }

    @Test("goes on in the session, the instance, the page and the minute alone")
    func resumed() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let handle = try handle(try await browser.arrive(["state": "s-1"]))
        let (stranger, other) = try await away(fixture)
        _ = try await stranger.leave(other)
        let (mine, theirs) = (page["flow"]?.string, other["flow"]?.string)
        let withoutCookie = browser.at(fixture.backend)
        withoutCookie.returnCookie = nil
        let withOtherCookie = browser.at(fixture.backend)
        withOtherCookie.returnCookie = stranger.returnCookie
        for (who, what, instance, flow) in [
            (stranger, handle, "standard", mine), (stranger, handle, "standard", theirs),
            (fixture.browser(), handle, "standard", mine), (withoutCookie, handle, "standard", mine),
            (withOtherCookie, handle, "standard", mine), (browser, handle, "second", mine),
            (browser, handle, "standard", theirs), (browser, handle, "standard", "x"),
            (browser, handle + "A", "standard", mine), (browser, "x", "standard", mine),
            (browser, "", "standard", mine),
            (browser, SealedPlace.newSecret(), "standard", mine),
        ] as [(Browser, String, String, String?)] {
            await #expect(throws: BFFError.noPendingReturn) { try await who.resume(what, instance, of: flow) }
        }
        #expect(fixture.provider.count(.next) == 0)
        fixture.time.advance(by: .seconds(60))
        await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(handle) }
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("goes on from the page that they left alone, not from a later one")
    func laterPage() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let first = try handle(try await browser.arrive(["state": "s-1"]))
        _ = try await browser.leave(try await browser.flow(page))
        let second = try handle(try await browser.arrive(["state": "s-1"]))
        fixture.provider.script(.next, .page("Elsewhere2"), .page("Again"))
        #expect(try await browser.resume(first)["stage"] == "Elsewhere2")
        await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(second) }
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("answers no page that nobody has left from")
    func otherPage() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let (other, elsewhere) = try await away(fixture, "Stateless")
        _ = try await other.leave(elsewhere)
        browser.returnCookie = other.returnCookie
        let handle = try handle(try await browser.arrive(["code": "c"]))
        await #expect(throws: BFFError.noPendingReturn) { try await browser.resume(handle, of: page["flow"]?.string) }
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("has the answer of a handle for as long as answers are kept, although the handle itself is too old")
    func kept() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let handle = try handle(try await browser.arrive(["state": "s-1"]))
        fixture.time.advance(by: .seconds(59))
        fixture.provider.script(.next, .page("Again"))
        _ = try await browser.resume(handle)
        fixture.time.advance(by: .seconds(30))
        #expect(try await browser.resume(handle)["stage"] == "Again")
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("may try again where nothing reached the provider")
    func notTaken() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        _ = try await browser.leave(page)
        let handle = try handle(try await browser.arrive(["state": "s-1"]))
        fixture.provider.script(.next, .notTaken, .page("Again"))
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) {
            try await browser.resume(handle)
        }
        #expect(try await browser.resume(handle)["stage"] == "Again")
    }

    @Test("goes on at another process, and after a restart")
    func restart() async throws {
        let fixture = try Fixture(.file)
        let (browser, page) = try await away(fixture)
        _ = try await browser.at(try fixture.another()).leave(page)
        let elsewhere = browser.at(try fixture.another())
        guard case .to = try await elsewhere.leave(try await elsewhere.flow(page)) else { throw Failed() }
        let arrival = try await elsewhere.at(try fixture.another()).arrive(["state": "s-1", "code": "c"])
        fixture.provider.script(.next, .page("Again"))
        #expect(try await elsewhere.at(try fixture.another()).resume(try handle(arrival))["stage"] == "Again")
    }

    @Test("comes back to the target that the start named; a name that is not there is refused")
    func targets() async throws {
        let fixture = try Fixture { $0.returns.targets.append(ReturnSettings.Target(name: "shop", path: "/shop")) }
        let (browser, page) = try await away(fixture) { $0.returnTarget = "shop" }
        _ = try await browser.leave(page)
        #expect(try await browser.leave(page) == .expired(target: "/shop"))
        #expect(try await browser.arrive(["state": "s-1"]).target == "/shop")
        await #expect(throws: BFFError.notAllowed(.returnTarget)) {
            try await browser.start { $0.returnTarget = "https://evil.example.com" }
        }
    }

    @Test("comes back to the target that the start of a step-up named")
    func targetOfStepUp() async throws {
        let fixture = try Fixture { $0.returns.targets.append(ReturnSettings.Target(name: "shop", path: "/shop")) }
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Elsewhere"))
        let page = try await browser.start("gold") {
            $0.goal = "high"
            $0.returnTarget = "shop"
        }
        _ = try await browser.leave(page, "gold")
        #expect(try await browser.arrive(["state": "s-1"], "gold").target == "/shop")
    }

    @Test("leaves and comes back by handles and a cookie in which the flow's id is not")
    func capability() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        let id = try #require(page["flow"]?.string).dropFirst(2)
        _ = try await browser.leave(page)
        let back = try handle(try await browser.arrive(["state": "s-1"]))
        for text in [try Browser.handle(page), back, browser.returnCookie ?? ""] {
            #expect(!text.contains(id.prefix(8)) && text.utf8.count >= 22)
        }
    }

    @Test("is waited for until somebody brings something")
    func nothing() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture, "Stateless")
        _ = try await browser.leave(page)
        for odd in [[:], ["entry": "x"], ["unheard-of": "x"]] { #expect(try await browser.arrive(odd).handle == nil) }
        #expect(try await browser.arrive(["code": "c"]).handle != nil)
    }

    @Test("leaves by the same handle again when the store failed")
    func failing() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        fixture.store.fail("commit", of: try browser.sessionKey(), .before, .before, .before, .before)
        await #expect(throws: BFFError.self) { try await browser.leave(page) }
        guard case .to = try await browser.leave(page) else { throw Failed() }
    }

    @Test("is sent nowhere by answers, and asks nobody")
    func answers() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        await #expect(throws: BFFError.self) { try await browser.next(try Browser.answer(page, [:])) }
        #expect(fixture.provider.count(.next) == 0)
    }

    @Test("leaves nothing in the store that it or the server key opens")
    func sealed() async throws {
        let fixture = try Fixture()
        let (browser, page) = try await away(fixture)
        guard case .to(_, let cookie) = try await browser.leave(page) else { throw Failed() }
        let place = try #require(SealedPlace(cookie, for: "departures"))
        #expect(try await place.read(fixture.store) != nil)
        #expect(try await SealedPlace(cookie, for: "arrival")?.read(fixture.store)?.bytes == nil)
        #expect(try await SealedPlace(SealedPlace.newSecret(), for: "departures")?.read(fixture.store)?.bytes == nil)
        // A secret that could be guessed names no place.
        for count in [0, 1, 16, 31, 33, 64] {
            #expect(SealedPlace(SecureRandom.token(count), for: "departures") == nil)
        }
    }
}
