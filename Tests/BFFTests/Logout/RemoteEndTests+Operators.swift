import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

extension RemoteEndTests {
    // MARK: Operators

    @Test("is listed without anything that opens it, and ended by its id", arguments: StoreKind.allCases)
    func list(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let first = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(5))
        let second = try await fixture.signedIn()
        try await second.signIn("alice", "admin:alice")
        let ends = fixture.backend.remoteEnds
        let listed = try await ends.sessions(of: user(fixture))
        #expect(listed.count == 2 && listed[0].begun + .seconds(5) == listed[1].begun)
        #expect(listed.allSatisfy { $0.parts.allSatisfy { $0.client == "standard" } })
        #expect(Set(listed.map(\.id)).count == 2 && listed.allSatisfy { $0.id.count == 22 })
        #expect(try await fixture.another().remoteEnds.sessions(of: user(fixture)) == listed)
        await #expect(throws: BFFError.unknownSession) {
            try await ends.end(id: listed[0].id, of: user(fixture, "alice"), Self.context)
        }
        try await ends.end(id: listed[1].id, of: user(fixture), Self.context)
        #expect(try await isSignedIn(first))
        #expect(try await !isSignedIn(second))
        #expect(try await isSignedIn(second, "admin:alice"))
        #expect(try await ends.sessions(of: user(fixture)).map(\.id) == [listed[0].id])
    }

    @Test("is ended if it began before an instant")
    func before() async throws {
        let fixture = try Fixture()
        let first = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(10))
        let instant = fixture.time.now()
        fixture.time.advance(by: .seconds(10))
        let second = try await fixture.signedIn()
        let ends = fixture.backend.remoteEnds
        #expect(try await ends.endAll(of: user(fixture), until: instant, Self.context) == 1)
        #expect(try await !isSignedIn(first))
        #expect(try await isSignedIn(second))
        #expect(try await ends.endAll(of: user(fixture), Self.context) == 1)
        #expect(try await !isSignedIn(second))
        // An instant ahead counts as now: it refuses no later sign-in.
        _ = try await ends.endAll(of: user(fixture), until: fixture.time.now() + .seconds(3600), Self.context)
        fixture.time.advance(by: .seconds(2))
        #expect(try await isSignedIn(try await fixture.signedIn()))
    }

    @Test("is ended with those of all users, if it began before an instant", arguments: StoreKind.allCases)
    func everyone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let early = [
            try await fixture.signedIn(), try await fixture.signedIn("alice"), try await fixture.signedIn("bob"),
        ]
        fixture.time.advance(by: .seconds(10))
        let instant = fixture.time.now()
        fixture.time.advance(by: .seconds(10))
        let late = try await fixture.signedIn("carol")
        #expect(try await fixture.backend.remoteEnds.endEveryone(until: instant, Self.context) == 3)
        for browser in early { #expect(try await !isSignedIn(browser)) }
        #expect(try await isSignedIn(late))
        // One that was under way then is refused.
        fixture.provider.authTimeShift = .seconds(-30)
        let page = fixture.browser()
        #expect(try await page.next(try Browser.login(try await page.start()))["reason"] == "login-required")
    }

    @Test("is found under a server key that is no longer the first")
    func keys() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let next = try ServerKey(id: "k2", key: Array(31..<63))
        let backend = try fixture.another(keys: [next, fixture.key])
        #expect(try await backend.remoteEnds.sessions(of: user(fixture)).count == 1)
        #expect(try await backend.remoteEnds.endAll(of: user(fixture), Self.context) == 1)
        #expect(try await !isSignedIn(browser))
        // A sign-in under way at a process with the former key is refused as well.
        fixture.provider.authTimeShift = .seconds(-30)
        let late = fixture.browser()
        let node = try await late.next(try Browser.login(try await late.start()))
        #expect(node["reason"] == "login-required")
    }

    @Test("under way is refused if it was ended by a process that knew only a former server key")
    func formerKey() async throws {
        let fixture = try Fixture()
        try await fixture.backend.remoteEnds.endAll(of: user(fixture), Self.context)
        let next = try ServerKey(id: "k2", key: Array(31..<63))
        let browser = Browser(try fixture.another(keys: [next, fixture.key]))
        fixture.provider.authTimeShift = .seconds(-30)
        #expect(try await browser.next(try Browser.login(try await browser.start()))["reason"] == "login-required")
        fixture.provider.authTimeShift = .seconds(0)
        fixture.time.advance(by: .seconds(2))
        try await browser.signIn()
        #expect(try await isSignedIn(browser))
    }

    @Test("leaves the index with a logout, so that the list does not grow")
    func index() async throws {
        let fixture = try Fixture()
        for _ in 0..<3 { try await fixture.signedIn().logoutAll() }
        #expect(try await fixture.backend.remoteEnds.sessions(of: user(fixture)).isEmpty)
        await fixture.backend.settled()
        let directory = fixture.backend.environment.directory
        let names = directory.keys.user(issuer: fixture.provider.issuer, subject: "demo")
        #expect(try await directory.indexed(names).isEmpty)
    }

    @Test("is listed among 256 that are over, and the own one among 256 newer ones")
    func crowd() async throws {
        let fixture = try Fixture()
        let own = try await fixture.signedIn()
        let directory = fixture.backend.environment.directory
        let keys = directory.keys.user(issuer: fixture.provider.issuer, subject: "demo")
        let end = fixture.time.now() + .seconds(60)
        for number in 0..<256 {
            let over = SessionKey(tag: Array("over \(number)".utf8))
            try await directory.index?.addToIndex(keys[0], over, expires: end)
        }
        #expect(try await fixture.backend.remoteEnds.sessions(of: user(fixture)).count == 1)
        await fixture.backend.settled()
        #expect(try await directory.indexed(keys).count == 1, "the others are forgotten")

        for _ in 0..<256 { _ = try await fixture.signedIn() }
        let listed = try await fixture.backend.ownSessions.list("standard", own.context())
        #expect(listed.count == 256 && listed.count { $0.isOwn } == 1)
        // An operator sees the newest.
        let newest = try await fixture.backend.remoteEnds.sessions(of: user(fixture))
        let key = try own.sessionKey()
        #expect(newest.count == 256 && !newest.contains { $0.key == key })
    }

    // MARK: Own sessions

    @Test("is seen and ended by its user in another session, and the own one is not", arguments: StoreKind.allCases)
    func own(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let (mine, other, third) = (
            try await fixture.signedIn(), try await fixture.signedIn(), try await fixture.signedIn()
        )
        let stranger = try await fixture.signedIn("alice")
        let own = fixture.backend.ownSessions
        let listed = try await own.list("standard", mine.context())
        #expect(listed.count == 3 && listed.count { $0.isOwn } == 1)
        let current = try #require(listed.first { $0.isOwn })
        await #expect(throws: BFFError.unknownSession) {
            try await own.end("standard", id: current.id, mine.context())
        }
        let foreign = try await fixture.backend.remoteEnds.sessions(of: user(fixture, "alice"))[0].id
        await #expect(throws: BFFError.unknownSession) { try await own.end("standard", id: foreign, mine.context()) }
        let target = try #require(try await own.list("standard", other.context()).first { $0.isOwn })
        try await own.end("standard", id: target.id, mine.context())
        #expect(try await isSignedIn(mine))
        #expect(try await !isSignedIn(other))
        #expect(try await isSignedIn(third))
        #expect(try await isSignedIn(stranger))
        #expect(try await own.endOthers("standard", mine.context()) == 1)
        #expect(try await isSignedIn(mine))
        #expect(try await !isSignedIn(third))
        #expect(try await isSignedIn(stranger))
        await #expect(throws: BFFError.signedOut) { try await own.list("standard", third.context()) }
        await #expect(throws: BFFError.signedOut) { try await own.list("standard", fixture.browser().context()) }
        #expect(fixture.told.count { $0 == "remote-end ended" } == 2)
    }

    @Test("is ended by its user only after the step-up that a requirement demands")
    func stepUp() async throws {
        let fixture = try Fixture { $0.endingRequirement = "high" }
        let (mine, other) = (try await fixture.signedIn(), try await fixture.signedIn())
        let own = fixture.backend.ownSessions
        let id = try #require(try await own.list("standard", mine.context()).first { !$0.isOwn }?.id)
        func expectOffer(_ operation: () async throws -> Void) async {
            await #expect {
                try await operation()
            } throws: { error in
                guard case .stepUpRequired(let offer) = error as? BFFError else { return false }
                return offer.instance == "gold" && offer.goal == "high"
            }
        }
        await expectOffer { try await own.end("standard", id: id, mine.context()) }
        await expectOffer { _ = try await own.endOthers("standard", mine.context()) }
        #expect(try await isSignedIn(other))
        fixture.provider.authLevel = 3
        try await mine.signIn("demo", "gold")
        _ = try await mine.session()
        try await own.end("standard", id: id, mine.context())
        #expect(try await isSignedIn(mine))
        #expect(try await !isSignedIn(other))
    }

    @Test(
        "is described in words of a closed set",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36 Edg/126.0",
                "Edge on Windows"
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone"
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Mobile Safari/537.36",
                "Chrome on Android"
            ),
            ("<script>alert(1)</script>", ""), ("", ""), (String(repeating: "Firefox/", count: 200), ""),
        ])
    func device(_ field: String, _ words: String) {
        #expect(DeviceWords.words(field) == words)
    }
}
