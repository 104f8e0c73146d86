import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// Ends that come between a change of the cookie and the first request with the new one, from the side of whoever still
/// holds the cookie from before.
extension RemoteEndTests {
    private func end(_ fixture: Fixture, _ subject: String) async throws {
        try await fixture.backend.remoteEnds.endAll(of: user(fixture, subject), Self.context)
    }

    /// True if a cookie that was replaced reads a user.
    private func reads(_ old: Browser, _ instance: String = "standard") async throws -> Bool {
        do throws(BFFError) {
            _ = try await old.backend.user(instance, refresh: false, old.context())
            return true
        } catch {
            try #require(error == .signedOut || error == .sessionChanged)
            return false
        }
    }

    /// A browser with two users, its cookie confirmed.
    private func twoUsers(_ fixture: Fixture) async throws -> Browser {
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        return browser
    }

    @Test(
        "between a change of the cookie and its confirmation takes nobody else along, whichever cookie comes",
        arguments: StoreKind.allCases, [true, false])
    func othersGoOn(kind: StoreKind, isLost: Bool) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo")
        try await end(fixture, "demo")
        // Within its seconds the replaced cookie reads what was there before, without what was ended.
        #expect(try await reads(old, "admin:alice"))
        #expect(try await !reads(old))
        if isLost { fixture.time.advance(by: .seconds(60)) }
        let used = isLost ? old : browser
        #expect(try await isSignedIn(used, "admin:alice"))
        #expect(try await !isSignedIn(used))
        #expect(try await used.state() == "none")
        #expect(try await used.state("admin:alice") == "authenticated")
        // The rest can be changed and ended as before, and nothing is left at the provider but what was ended.
        fixture.time.advance(by: .seconds(2))
        try await used.signIn("demo")
        #expect(try await isSignedIn(used))
        #expect(try await isSignedIn(used, "admin:alice"))
        try await used.logoutAll()
        #expect(used.cookie == nil)
    }

    @Test("does not come back with the cookie from before another user took its place", arguments: StoreKind.allCases)
    func replacedUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        _ = try await browser.session()
        let old = browser.at(fixture.backend)
        try await browser.signIn("alice", replace: true)
        try await end(fixture, "demo")
        #expect(try await !reads(old))
        fixture.time.advance(by: .seconds(60))
        #expect(try await !isSignedIn(old))
        #expect(try await old.session()["authenticated"] == false)
        // Neither what was brought nor what cannot be put back lives on at the provider.
        #expect(fixture.provider.grants.isEmpty)
    }

    @Test("that took another's place leaves that one to whoever lost the new cookie", arguments: StoreKind.allCases)
    func newUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        let old = browser.at(fixture.backend)
        try await browser.signIn("bob", replace: true)
        try await end(fixture, "bob")
        fixture.time.advance(by: .seconds(60))
        #expect(try await old.user()["subject"] == "demo")
        #expect(try await isSignedIn(old, "admin:alice"))
        #expect(fixture.told.filter { $0.hasPrefix("remote-end") } == ["remote-end ended"])
    }

    @Test(
        "that took another's place leaves that one also where something else changes before the old cookie comes back",
        arguments: StoreKind.allCases)
    func newUserAndChange(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        let old = browser.at(fixture.backend)
        let body = try Browser.login(try await old.start("admin:carol"), "carol")
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let carol = Task { try await old.at(fixture.backend).next(body, "admin:carol") }
        await gate.waitUntilHeld()
        fixture.provider.hold(.next, at: nil)
        try await browser.signIn("bob", replace: true)
        try await end(fixture, "bob")
        // A step under the replaced cookie writes what the session holds.
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await carol.value }
        fixture.time.advance(by: .seconds(60))
        #expect(try await old.user()["subject"] == "demo")
        #expect(try await isSignedIn(old, "admin:alice"))
        #expect(try await old.state() == "authenticated")
        #expect(Set(fixture.provider.grants).isSuperset(of: ["alice", "demo"]))
        // He can still be ended, with all that he has.
        try await end(fixture, "demo")
        #expect(try await !isSignedIn(old))
        #expect(try await isSignedIn(old, "admin:alice"))
    }

    @Test("before a change of the cookie is not undone with that", arguments: StoreKind.allCases)
    func earlier(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        try await end(fixture, "demo")
        let old = browser.at(fixture.backend)
        try await browser.signIn("alice", "admin:alice")
        #expect(try await old.state() == "none")
        fixture.time.advance(by: .seconds(60))
        #expect(try await isSignedIn(old, "admin:alice"))
        #expect(try await !isSignedIn(old))
        #expect(try await old.state() == "none")
    }

    @Test("stays so for a replaced cookie that still reads, after the new one has come", arguments: StoreKind.allCases)
    func confirmed(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo")
        _ = try await browser.session()
        try await end(fixture, "demo")
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        #expect(try await !reads(old))
    }

    @Test("is not listed as long as it is only kept from before", arguments: StoreKind.allCases)
    func listed(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        _ = try await browser.session()
        try await browser.signIn("alice", replace: true)
        let ends = fixture.backend.remoteEnds
        #expect(try await ends.sessions(of: user(fixture)).isEmpty)
        #expect(try await ends.sessions(of: user(fixture, "alice")).count == 1)
    }

    // MARK: Kept answers

    @Test("is not told of by the kept answer of its last step, under either cookie", arguments: StoreKind.allCases)
    func keptAnswer(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await twoUsers(fixture)
        let page = try await browser.start { $0.forceAuth = true }
        let request = try Browser.login(page)
        let old = browser.at(fixture.backend)
        try await browser.next(request)
        // Until the end it is given again, and with the new cookie.
        let again = old.at(fixture.backend)
        #expect(try await again.next(request)["type"] == "success")
        try await end(fixture, "demo")
        for browser in [old, browser] {
            await #expect(throws: BFFError.flowExpired) { try await browser.next(request) }
        }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
        #expect(try await isSignedIn(browser, "admin:alice"))
        // Nor once somebody else is signed in there.
        try await browser.signIn("bob")
        _ = try await browser.session()
        await #expect(throws: BFFError.flowExpired) { try await browser.next(request) }
        await #expect(throws: BFFError.flowExpired) { try await browser.flow(page) }
    }

    // MARK: Times

    @Test("without a time of authentication is refused if the end came after its flow began", arguments: [true, false])
    func untimed(isBefore: Bool) async throws {
        let fixture = try Fixture()
        fixture.provider.tellsAuthTime = false
        let browser = fixture.browser()
        if isBefore {
            try await end(fixture, "demo")
            fixture.time.advance(by: .seconds(3))
        }
        let page = try await browser.start()
        fixture.time.advance(by: .seconds(3))
        if !isBefore { try await end(fixture, "demo") }
        fixture.time.advance(by: .seconds(3))
        let node = try await browser.next(try Browser.login(page))
        #expect(node["type"]?.string == (isBefore ? "success" : "failure"))
        #expect(try await isSignedIn(browser) == isBefore)
    }

    @Test("without a time of authentication is refused if the end came while its first page was on the way")
    func untimedPage() async throws {
        let fixture = try Fixture()
        fixture.provider.tellsAuthTime = false
        let browser = fixture.browser()
        let gate = Gate()
        fixture.provider.hold(.start, at: gate)
        let started = Task { try await browser.start() }
        await gate.waitUntilHeld()
        fixture.time.advance(by: .seconds(3))
        try await end(fixture, "demo")
        fixture.time.advance(by: .seconds(3))
        gate.open()
        let node = try await browser.next(try Browser.login(try await started.value))
        #expect(node["reason"] == "login-required")
        #expect(try await !isSignedIn(browser))
    }

    @Test("without a time of authentication is refused if the end came before its link was opened")
    func untimedLink() async throws {
        let fixture = try Fixture()
        fixture.provider.tellsAuthTime = false
        let browser = fixture.browser()
        fixture.provider.script(.start, .page(FakeProvider.mailPage))
        _ = try await browser.start()
        fixture.time.advance(by: .seconds(3))
        try await end(fixture, "demo")
        fixture.time.advance(by: .seconds(3))
        fixture.provider.script(.start, .page("Again"))
        let page = try await browser.open(link: "id-1")
        fixture.provider.script(.next, .success("demo"))
        let node = try await browser.next(try Browser.answer(page, ["code": "1"]))
        #expect(node["reason"] == "login-required")
        #expect(try await !isSignedIn(browser))
    }

    @Test("that its provider session alone brought is as old as that")
    func silentUntimed() async throws {
        let fixture = try Fixture()
        fixture.provider.tellsAuthTime = false
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(600))
        fixture.provider.script(.start, .successInSession("demo"))
        try await browser.start("transaction")
        #expect(try await isSignedIn(browser, "transaction"))
        let until = fixture.time.now() - .seconds(300)
        #expect(try await fixture.backend.remoteEnds.endAll(of: user(fixture), until: until, Self.context) == 1)
        #expect(try await !isSignedIn(browser))
        #expect(try await !isSignedIn(browser, "transaction"))
    }

    /// A sign-in at a process whose clock is ahead, like its provider's.
    private func early() async throws -> (Fixture, Browser) {
        let fixture = try Fixture()
        fixture.provider.authTimeShift = .seconds(20)
        let browser = Browser(try fixture.another(clock: ManualTime(fixture.time.now() + .seconds(20))))
        try await browser.signIn()
        return (fixture, browser)
    }

    @Test("that a process stored whose clock is ahead is ended by an end without an instant")
    func ahead() async throws {
        let (fixture, browser) = try await early()
        let ends = fixture.backend.remoteEnds
        #expect(try await ends.endAll(of: user(fixture), until: fixture.time.now() - .seconds(1), Self.context) == 0)
        #expect(try await isSignedIn(browser))
        #expect(try await ends.endAll(of: user(fixture), Self.context) == 1)
        #expect(try await !isSignedIn(browser))
    }

    @Test("that a process stored whose clock is ahead is ended by a logout of a provider whose clock is as well")
    func bothAhead() async throws {
        let (fixture, browser) = try await early()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1", seconds: 30))
        #expect(try await !isSignedIn(browser))
    }

    // MARK: Copies

    @Test("cannot be ended while the store is away, and then no copy answers either, whoever ends it", arguments: 0..<4)
    func copies(way: Int) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let ends = fixture.backend.remoteEnds
        let id = try #require(try await ends.sessions(of: user(fixture)).first?.id)
        let (key, names) = (try browser.sessionKey(), ["a"])
        let copies = fixture.backend.sessions.records.store.copies
        let read = try await fixture.store.inner.read(key, .all)
        for _ in 0..<2 {
            copies.keep(read, names, of: key, copies.begin(key, at: fixture.time.now()))
            await copies.settled()
        }
        func isThere() -> Bool {
            copies.copy(key, names, maxAge: .seconds(60), at: fixture.time.now()) != nil
        }
        #expect(isThere())
        fixture.store.countsIndex = true
        fixture.store.isDown = true
        let own = SessionKey(tag: [1])
        await #expect(throws: BFFError.self) {
            switch way {
            case 0: try await ends.endAll(of: user(fixture), Self.context)
            case 1: _ = try await ends.endEveryone(until: fixture.time.now(), Self.context)
            case 2: try await ends.end(id: id, of: user(fixture), Self.context)
            default: _ = try await ends.endOthers(of: user(fixture), except: own, Self.context)
            }
        }
        #expect(!isThere())
    }

    // MARK: Other processes

    @Test("does not go on because another one cannot be read here: the rest ends, and the answer says that not all did")
    func unreadable() async throws {
        let fixture = try Fixture()
        var browsers: [Browser] = []
        for _ in 0..<5 { browsers.append(try await fixture.signedIn()) }
        // The lists of most are sealed under a key that only another process has.
        let newer = try ServerKey(id: "k2", key: Array(31..<63))
        let other = try fixture.another(keys: [newer, fixture.key])
        for browser in browsers.prefix(4) {
            try await browser.at(other).signIn("alice", "admin:alice")
        }
        await #expect(throws: BFFError.self) { try await end(fixture, "demo") }
        #expect(fixture.told.filter { $0.hasPrefix("remote-end") } == ["remote-end ended"])
        #expect(try await !isSignedIn(browsers[4]))
        // The process with the key ends the others.
        #expect(try await other.remoteEnds.endAll(of: user(fixture), Self.context) == 4)
    }

    @Test("does not go on where the store fails again and again, and goes on where it fails twice", arguments: [2, 8])
    func patience(faults: Int) async throws {
        let fixture = try Fixture()
        var keys: [SessionKey] = []
        for _ in 0..<8 { keys.append(try await fixture.signedIn().sessionKey()) }
        for key in keys.prefix(faults) { fixture.store.fail("read", of: key, .before) }
        fixture.store.reset()
        await #expect(throws: BFFError.self) { try await end(fixture, "demo") }
        let asked = Set(fixture.store.calls.compactMap(\.session)).intersection(keys)
        #expect(asked.count == (faults == 2 ? 8 : 3))
        #expect(fixture.told.count { $0 == "remote-end ended" } == (faults == 2 ? 6 : 0))
    }

    @Test("of everyone does not go on because a part of the index cannot be read, and is told as soon as it has ended")
    func everyoneInParts() async throws {
        let fixture = try Fixture()
        var browsers: [Browser] = []
        for _ in 0..<3 { browsers.append(try await fixture.signedIn()) }
        // The parts are read in the order of their numbers, which sessions have in their first bytes.
        let last = try browsers.map { try $0.sessionKey() }.max {
            let numbers = [$0, $1].map { (Int($0.bytes[0]) << 8 | Int($0.bytes[1])) % IndexKeys.shareCount }
            return numbers[0] < numbers[1]
        }
        fixture.store.countsIndex = true
        fixture.store.reset()
        _ = try await fixture.backend.remoteEnds.endEveryone(until: Timestamp(seconds: 1), Self.context)
        let first = try #require(fixture.store.calls.firstIndex { $0.name == "listIndex" })
        fixture.store.reset()
        // As often as it is read again.
        for number in first..<first + 4 { fixture.store.fail(number, .before) }
        let told = Locked<[String]>([])
        fixture.store.before("commit", of: last) { told.withLock { $0 = fixture.told } }
        await #expect(throws: BFFError.self) {
            _ = try await fixture.backend.remoteEnds.endEveryone(until: fixture.time.now(), Self.context)
        }
        for browser in browsers { #expect(try await !isSignedIn(browser)) }
        #expect(told.withLock { $0.count { $0 == "remote-end ended" } } == 2)
        #expect(fixture.told.count { $0 == "remote-end ended" } == 3)
    }

    @Test("is found for as long as its session may live, whatever the settings of a later sign-in are")
    func shorterLife() async throws {
        let fixture = try Fixture { ($0.absolute, $0.idle) = (.seconds(28_800), .seconds(20_000)) }
        let browser = try await fixture.signedIn()
        let shorter = try fixture.another { $0.absolute = .seconds(3600) }
        _ = try await browser.at(shorter).signIn("demo", "transaction")
        fixture.time.advance(by: .seconds(7200))
        #expect(try await fixture.backend.remoteEnds.endAll(of: user(fixture), Self.context) == 1)
        #expect(try await !isSignedIn(browser))
    }
}
