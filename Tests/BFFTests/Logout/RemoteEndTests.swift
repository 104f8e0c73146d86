import BFF
import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Sessions

/// Ends of sign-ins without their cookies, over both stores.
@Suite("A sign-in that is ended without its cookie", .timeLimit(.minutes(2)))
struct RemoteEndTests {
    func tell(
        _ fixture: Fixture, _ token: String, _ client: String = "standard", at backend: Backend? = nil
    ) async throws(BFFError) {
        try await (backend ?? fixture.backend).remoteEnds.logout(client, token: Secret(token), Self.context)
    }

    static var context: CallContext {
        CallContext(cookie: nil, deadline: .now + .seconds(20), requestID: "r-2", address: "192.0.2.9", began: .now)
    }

    func user(_ fixture: Fixture, _ subject: String = "demo") -> RemoteEnds.User {
        RemoteEnds.User(issuer: fixture.provider.issuer, subject: subject)
    }

    func isSignedIn(_ browser: Browser, _ instance: String = "standard") async throws -> Bool {
        do throws(BFFError) {
            _ = try await browser.backend.user(instance, refresh: false, browser.context())
            return true
        } catch {
            try #require(error == .signedOut)
            return false
        }
    }

    // MARK: Logout tokens

    @Test("by a token of its user is over at every process, and others go on", arguments: StoreKind.allCases)
    func ofUser(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browsers = [
            try await fixture.signedIn(), try await fixture.signedIn(), try await fixture.signedIn("alice"),
        ]
        let other = try fixture.another()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        for backend in [fixture.backend, other] {
            #expect(try await !isSignedIn(browsers[0].at(backend)))
            #expect(try await !isSignedIn(browsers[1].at(backend)))
            #expect(try await isSignedIn(browsers[2].at(backend)))
        }
        #expect(try await browsers[0].session()["authenticated"] == false)
        #expect(fixture.told.filter { $0.hasPrefix("remote-end") } == ["remote-end ended", "remote-end ended"])
    }

    @Test("tells a browser that comes later that it was ended")
    func reason() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        #expect(await fixture.backend.ends.reason(of: .signedOut, "standard", browser.context()) == .ended)
    }

    @Test(
        "by a token of its provider session is over, and the user's other sessions go on", arguments: StoreKind.allCases
    )
    func ofSession(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        fixture.provider.namesSessions = true
        let first = try await fixture.signedIn()
        let sid = try #require(fixture.provider.sid(of: "demo"))
        let second = try await fixture.signedIn()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", sessionID: sid, id: "j-1"))
        #expect(try await !isSignedIn(first))
        #expect(try await isSignedIn(second))
    }

    @Test("without a known provider session is over by the user of the token")
    func unnamed() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await tell(fixture, fixture.provider.logoutToken(subject: "alice", sessionID: "sid-9", id: "j-1"))
        #expect(try await isSignedIn(browser))
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", sessionID: "sid-9", id: "j-2"))
        #expect(try await !isSignedIn(browser))
    }

    @Test("goes on if the token is of another issuer's user or session, or names another user with its session")
    func others() async throws {
        let fixture = try Fixture()
        fixture.provider.namesSessions = true
        let browser = try await fixture.signedIn()
        let sid = try #require(fixture.provider.sid(of: "demo"))
        let provider = fixture.provider
        let foreign = "https://other.example.com"
        for token in [
            provider.logoutToken(subject: "demo", id: "j-1", issuer: foreign),
            provider.logoutToken(subject: "demo", sessionID: sid, id: "j-2", issuer: foreign),
            provider.logoutToken(subject: "dem", id: "j-3"), provider.logoutToken(sessionID: "sid-0", id: "j-4"),
            provider.logoutToken(subject: "alice", sessionID: sid, id: "j-5"),
        ] { try await tell(fixture, token) }
        #expect(try await isSignedIn(browser))
        #expect(fixture.told.count { $0 == "remote-end unmatched" } == 5)
        // Nor does a renewal find it ended, or the next sign-in with that provider session.
        fixture.time.advance(by: .seconds(300))
        #expect(try await isSignedIn(browser))
        #expect(fixture.told.contains("refresh done"))
        // A token that names its own user ends it.
        try await tell(fixture, provider.logoutToken(subject: "demo", sessionID: sid, id: "j-6"))
        #expect(try await !isSignedIn(browser))
    }

    @Test("ends alone: another user's in the same browser session goes on", arguments: StoreKind.allCases)
    func part(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        #expect(try await !isSignedIn(browser))
        #expect(try await isSignedIn(browser, "admin:alice"))
        #expect(try await browser.state() == "none")
        #expect(try await browser.state("admin:alice") == "authenticated")
        let session = try await browser.session()
        #expect(
            session["instances"]?.array?.allSatisfy {
                // What another client has of the same session belongs to it.
                ["admin:alice", "free:alice"].contains($0["instance"]?.string) || $0["providerSession"] == false
            } == true)
        // The rest can be used, changed and ended as before; a sign-in of the same second would be ended as well.
        fixture.time.advance(by: .seconds(2))
        try await browser.signIn("demo")
        #expect(try await isSignedIn(browser))
        #expect(try await isSignedIn(browser, "admin:alice"))
        try await browser.logoutAll()
        #expect(browser.cookie == nil)
    }

    @Test("takes the session with it where the list of sign-ins was lost", arguments: StoreKind.allCases)
    func lostList(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let damage = SessionCommit.update(writes: [.set(SignInList.field, [0])])
        try await fixture.store.inner.commit(try browser.sessionKey(), damage)
        try await browser.signIn("alice", "admin:alice")
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        #expect(try await !isSignedIn(browser))
        #expect(try await !isSignedIn(browser, "admin:alice"))
    }

    @Test("takes the session with it where its list was tampered with", arguments: StoreKind.allCases)
    func changedList(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        let damage = SessionCommit.update(writes: [.set(SignInList.field, [0])])
        try await fixture.store.inner.commit(try browser.sessionKey(), damage)
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        #expect(try await !isSignedIn(browser))
        #expect(try await !isSignedIn(browser, "admin:alice"))
    }

    @Test("does not come back with the cookie from before an unconfirmed change", arguments: StoreKind.allCases)
    func former(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        let old = browser.at(fixture.backend)
        // The answer with the new cookie is lost.
        try await browser.signIn("demo")
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        fixture.time.advance(by: .seconds(60))
        #expect(try await !isSignedIn(old))
        #expect(try await !isSignedIn(browser))
    }

    @Test("does not come back with the cookie from before either where the list lacks what the change keeps")
    func formerUnlisted() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await browser.signIn("alice", "admin:alice")
        _ = try await browser.session()
        let old = browser.at(fixture.backend)
        try await browser.signIn("demo")
        let (key, directory) = (try browser.sessionKey(), fixture.backend.environment.directory)
        var list = try #require(try directory.intact(try await fixture.store.inner.read(key, .all), key))
        let count = list.parts.count
        list.parts.removeAll { $0.rotation != nil }
        #expect(list.parts.count < count)
        let write = FieldWrite.set(SignInList.field, try directory.seal(list, of: key))
        try await fixture.store.inner.commit(key, .update(writes: [write]))
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1"))
        fixture.time.advance(by: .seconds(60))
        #expect(try await !isSignedIn(old))
        #expect(try await !isSignedIn(browser))
    }

    @Test("from after the logout lives on, whenever the token comes")
    func later() async throws {
        let fixture = try Fixture()
        let token = fixture.provider.logoutToken(subject: "demo", id: "j-1")
        fixture.time.advance(by: .seconds(2))
        let browser = try await fixture.signedIn()
        try await tell(fixture, token)
        #expect(try await isSignedIn(browser))
    }

    @Test("from after a logout of a provider whose clock is ahead lives")
    func earlyNotice() async throws {
        let fixture = try Fixture()
        try await tell(fixture, fixture.provider.logoutToken(subject: "demo", id: "j-1", seconds: 30))
        fixture.time.advance(by: .seconds(5))
        let browser = try await fixture.signedIn()
        #expect(try await isSignedIn(browser))
    }

    @Test("is not ended by a token that is refused, used before, or of a client that there is not")
    func refusedTokens() async throws {
        let fixture = try Fixture()
        let token = fixture.provider.logoutToken(subject: "demo", id: "j-1")
        try await tell(fixture, token)
        fixture.time.advance(by: .seconds(2))
        let browser = try await fixture.signedIn()
        let again = fixture.provider.logoutToken(subject: "demo", id: "j-1", seconds: 1)
        await #expect(throws: BFFError.logoutTokenRefused) { try await tell(fixture, again) }
        let other = try fixture.another()
        await #expect(throws: BFFError.logoutTokenRefused) { try await tell(fixture, again, at: other) }
        await #expect(throws: BFFError.logoutTokenRefused) { try await tell(fixture, "forged") }
        await #expect(throws: BFFError.unknownInstance) { try await tell(fixture, token, "nobody") }
        let unreachable = fixture.provider.logoutToken(subject: "demo", id: "unreachable")
        await #expect(throws: BFFError.providerUnavailable(retryAfter: .seconds(5))) {
            try await tell(fixture, unreachable)
        }
        #expect(try await isSignedIn(browser))
        // The id of a token is one issuer's own.
        try await tell(fixture, fixture.provider.logoutToken(subject: "x", id: "j-1", issuer: "https://b.example.com"))
    }

    @Test("is acknowledged only if it is ended, at whatever call the store fails", arguments: StoreKind.allCases)
    func storeFails(kind: StoreKind) async throws {
        let counted = try Fixture(kind)
        _ = try await counted.signedIn()
        counted.store.reset()
        counted.store.countsIndex = true
        try await tell(counted, counted.provider.logoutToken(subject: "demo", id: "j-1"))
        let count = counted.store.calls.count
        #expect(count > 5)
        for number in 0..<count {
            for fault in FaultyStore.Fault.allCases {
                let fixture = try Fixture(kind)
                let browser = try await fixture.signedIn()
                let token = fixture.provider.logoutToken(subject: "demo", id: "j-1")
                fixture.store.reset()
                fixture.store.countsIndex = true
                fixture.store.fail(number, fault)
                let isDone: Bool
                do throws(BFFError) {
                    try await tell(fixture, token)
                    isDone = true
                } catch {
                    guard case .storeUnavailable = error else {
                        Issue.record("\(number) \(fault): \(error)")
                        continue
                    }
                    isDone = false
                }
                fixture.store.reset()
                if isDone { #expect(try await !isSignedIn(browser), "\(number) \(fault)") }
                // The provider may repeat a call that failed, unless its token was noted last.
                try? await tell(fixture, token)
                #expect(try await !isSignedIn(browser), "\(number) \(fault)")
            }
        }
    }

    // MARK: Sign-ins under way

    @Test("is refused if its user's end comes while it is stored, at whatever call", arguments: StoreKind.allCases)
    func race(kind: StoreKind) async throws {
        func page(_ fixture: Fixture) async throws -> (Browser, NextRequest) {
            let browser = fixture.browser()
            return (browser, try Browser.login(try await browser.start()))
        }
        let counted = try Fixture(kind)
        counted.store.countsIndex = true
        let (first, request) = try await page(counted)
        counted.store.reset()
        try await first.next(request)
        let count = counted.store.calls.count
        #expect(count > 5)
        let refused = Locked(0)
        for number in 0..<count {
            let fixture = try Fixture(kind)
            fixture.store.countsIndex = true
            let (browser, request) = try await page(fixture)
            let other = try fixture.another(store: FaultyStore(fixture.store.inner))
            let token = fixture.provider.logoutToken(subject: "demo", id: "j-1", seconds: 1)
            fixture.store.reset()
            fixture.store.before(number) {
                try? await other.remoteEnds.logout("standard", token: Secret(token), Self.context)
            }
            let node = try? await browser.next(request)
            if node?["reason"] == "login-required" { refused.withLock { $0 += 1 } }
            #expect(try await !isSignedIn(browser), "the end came before call \(number)")
        }
        #expect(refused.withLock { $0 } > 1)
    }

    @Test("in a new session, which it would begin, is refused as well", arguments: StoreKind.allCases)
    func raceInNewSession(kind: StoreKind) async throws {
        let counted = try Fixture(kind)
        counted.store.countsIndex = true
        counted.provider.script(.start, .success("demo"))
        try await counted.browser().start()
        let count = counted.store.calls.count
        for number in 0..<count {
            let fixture = try Fixture(kind)
            fixture.store.countsIndex = true
            fixture.provider.script(.start, .success("demo"))
            let browser = fixture.browser()
            let other = try fixture.another(store: FaultyStore(fixture.store.inner))
            let token = fixture.provider.logoutToken(subject: "demo", id: "j-1", seconds: 1)
            fixture.store.before(number) {
                try? await other.remoteEnds.logout("standard", token: Secret(token), Self.context)
            }
            _ = try? await browser.start()
            guard browser.cookie != nil else { continue }
            #expect(try await !isSignedIn(browser), "the end came before call \(number)")
        }
    }

    @Test("that an old provider session brings later is refused, and its tokens are revoked")
    func silent() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(10))
        // The mark of the user alone, as when the session of this browser had been found by no index.
        _ = await fixture.backend.environment.directory.end(
            .user(issuer: fixture.provider.issuer, subject: "alice", until: fixture.time.now()), told: { _ in })
        fixture.provider.script(.start, .successInSession("alice"))
        fixture.provider.authTimeShift = .seconds(-60)
        let node = try await browser.start { $0.replace = true }
        #expect(node["type"] == "failure" && node["reason"] == "login-required")
        #expect(fixture.told.contains("sign-in refused login-required"))
        #expect(try await isSignedIn(browser))
    }
}
