import Basics
import HTTPCore
import JSON
import JourneyClient
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("The SSO session")
struct SessionTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    private var bound: BoundJourney {
        get throws { try am.journey().bound(to: desk.caller()) }
    }

    @Test func `is kept at the end of a journey and carried as a header and a cookie on every step`() async throws {
        am.steps(success("existing.*AAJ*"), loginPage)
        _ = try await bound.start("Login")
        #expect(try await bound.session()?.value.reveal() == "existing.*AAJ*")
        #expect(try await bound.session()?.created == am.time.now())
        let second = try await bound.start("StepUp", StartOptions(forceAuth: true))
        _ = try await bound.next(second.flow)
        let sent = am.sent(ScriptedAM.authenticate)
        #expect(sent.map { $0.header(ScriptedAM.cookieName) } == [nil, "existing.*AAJ*", "existing.*AAJ*"])
        let cookie = "\(ScriptedAM.cookieName)=existing.*AAJ*"
        #expect(sent.map { $0.header("cookie") } == [nil, cookie, cookie])
    }

    @Test func `is replaced by an upgrade and left alone without a token`() async throws {
        try await desk.signIn("old", created: am.time.now())
        am.steps(#"{"successUrl":"/","realm":"/"}"#, success("new"))
        #expect(try await bound.start("A", StartOptions(noSession: true)).success?.isSignedIn == false)
        #expect(try await bound.session()?.value.reveal() == "old")
        _ = try await bound.start("B", StartOptions(forceAuth: true))
        #expect(try await bound.session()?.value.reveal() == "new")
    }

    @Test func `brings the load balancer's cookies along, in the flow and afterwards`() async throws {
        var page = ClientResponse.json(loginPage)
        for cookie in [
            "amlbcookie=01; Path=/; Domain=example.com; Secure", "ROUTE=r1; Path=/am", "other=x; Path=/",
            "\(ScriptedAM.cookieName)=stolen; Path=/",
        ] {
            page.fields.append(try HTTPField(.setCookie, checking: cookie))
        }
        am.network.on(.post, ScriptedAM.authenticate, answering: page, .json(success("t")), .json(loginPage))
        let bound = try am.journey { $0.balancerCookies = ["ROUTE"] }.bound(to: desk.caller())
        let first = try await bound.start("Login")
        _ = try await bound.next(first.flow)
        _ = try await bound.start("Login")
        #expect(
            am.sent(ScriptedAM.authenticate).map { $0.header("cookie") }
                == [nil, "ROUTE=r1; amlbcookie=01", "\(ScriptedAM.cookieName)=t; ROUTE=r1; amlbcookie=01"])
        #expect(try await bound.session()?.cookies.names.sorted() == ["ROUTE", "amlbcookie"])
        _ = await bound.signOff()
        #expect(
            am.sent(ScriptedAM.sessions).last?.header("cookie")
                == "\(ScriptedAM.cookieName)=t; ROUTE=r1; amlbcookie=01")
    }

    @Test func `is logged out when it cannot be kept`() async throws {
        am.steps(success("orphan"))
        var caller = desk.caller()
        caller.storages[.session] = FailingStorage<SSOSession>(saving: .full)
        let step = try await am.journey().bound(to: caller).start("Login")
        guard case .moduleFailed(.success, StorageError.full)? = step.cause else {
            Issue.record("\(step.node)")
            return
        }
        let logout = try #require(am.sent(ScriptedAM.sessions).first)
        #expect(logout.url.query == "_action=logout")
        #expect(logout.header(ScriptedAM.cookieName) == "orphan")
    }

    @Test func `that replaces another is logged out when it cannot be kept, and the other one stays`() async throws {
        am.steps(success("new"))
        var caller = desk.caller()
        let old = SSOSession(value: Secret("old"), created: am.time.now())
        caller.storages[.session] = FailingStorage<SSOSession>(stored: old, saving: .unavailable)
        let step = try await am.journey().bound(to: caller).start("StepUp", StartOptions(forceAuth: true))
        #expect(step.cause != nil)
        #expect(am.sent(ScriptedAM.sessions).map { $0.header(ScriptedAM.cookieName) } == ["new"])
    }

    @Test func `is not logged out while nobody can say whether it is the one that was there`() async throws {
        let shelf = FlakyStorage(SSOSession(value: Secret("old"), created: am.time.now()))
        am.network.on(.post, ScriptedAM.authenticate) { _ in
            shelf.fail()
            return .json(success("old"))
        }
        var caller = desk.caller()
        caller.storages[.session] = shelf
        let step = try await am.journey().bound(to: caller).start("Login")
        #expect(step.cause != nil)
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }

    @Test func `survives its stored form`() throws {
        var session = SSOSession(
            value: Secret("t.*ß*"), successURL: "/x", realm: "/alpha",
            created: Timestamp(milliseconds: 1_700_000_000_123))
        let url = try #require(WebURL(ScriptedAM.authenticate))
        for cookie in ["amlbcookie=01; Path=/; Max-Age=60; Secure", "R=2; Domain=example.com"] {
            session.cookies.store(try #require(SetCookie(parsing: cookie)), from: url, now: am.time.now())
        }
        #expect(try SSOSession(decoding: session.encoded) == session)
        let bytes = session.encoded
        for count in 0..<bytes.count {
            #expect(throws: RecordError.malformed) { try SSOSession(decoding: Array(bytes[..<count])) }
        }
        #expect(throws: RecordError.malformed) { try SSOSession(decoding: bytes + [0]) }
        #expect(throws: RecordError.newer(2)) { try SSOSession(decoding: [2] + bytes.dropFirst()) }
    }

    @Test func `does not print its token`() {
        let session = SSOSession(value: Secret("canary"), successURL: "canary", created: am.time.now())
        var dumped = ""
        dump(session, to: &dumped)
        #expect(!"\(session) \(dumped)".contains("canary"))
        #expect(!String(reflecting: session).contains("canary"))
    }
}

/// Fails where it is told to.
struct FailingStorage<Item: Sendable>: Storage {
    var stored: Item?
    var saving: StorageError?
    var reading: StorageError?
    var deleting: StorageError?

    func save(_ item: Item) async throws(StorageError) { if let saving { throw saving } }
    func get() async throws(StorageError) -> Item? {
        if let reading { throw reading }
        return stored
    }
    func delete() async throws(StorageError) { if let deleting { throw deleting } }
}

/// Works until it is told to fail.
final class FlakyStorage<Item: Sendable>: Storage {
    private let state: Locked<(item: Item?, fails: Bool)>

    init(_ item: Item?) { state = Locked((item, false)) }

    func fail() { state.withLock { $0.fails = true } }

    func save(_ item: Item) async throws(StorageError) { try change { $0 = item } }
    func get() async throws(StorageError) -> Item? {
        let (item, fails) = state.withLock { $0 }
        if fails { throw .unavailable }
        return item
    }
    func delete() async throws(StorageError) { try change { $0 = nil } }

    private func change(_ body: (inout Item?) -> Void) throws(StorageError) {
        let fails = state.withLock { state in
            if !state.fails { body(&state.item) }
            return state.fails
        }
        if fails { throw .unavailable }
    }
}

@Suite("Signing off a journey")
struct JourneySignOffTests {
    private let am: ScriptedAM
    private let desk = Desk()

    init() throws { am = try ScriptedAM() }

    @Test func `forgets the session and logs it out by its own token`() async throws {
        try await desk.signIn("s1", created: am.time.now())
        let report = try await am.journey().bound(to: desk.caller()).signOff()
        guard case .ended = report.session, case .nothing = report.tokens else {
            Issue.record("\(report)")
            return
        }
        #expect(report.isComplete)
        #expect(try await desk.session.get() == nil)
        let sent = try #require(am.sent(ScriptedAM.sessions).first)
        #expect(sent.url.query == "_action=logout")
        #expect(sent.text == "{}")
        #expect(sent.header("accept-api-version") == "resource=3.1, protocol=1.0")
        #expect(sent.header(ScriptedAM.cookieName) == "s1")
    }

    @Test func `without a session has nothing to end and sends nothing`() async throws {
        let report = try await am.journey().bound(to: desk.caller()).signOff()
        guard case .nothing = report.session else {
            Issue.record("\(report)")
            return
        }
        #expect(report.isComplete)
        #expect(am.sent(ScriptedAM.sessions).isEmpty)
    }

    @Test(arguments: [
        (200, "ended"), (204, "ended"), (401, "alreadyGone"), (400, "failed"), (500, "failed"), (503, "failed"),
    ])
    func `reads the provider's status, and 401 means done`(status: Int, outcome: String) async throws {
        try await desk.signIn("s1", created: am.time.now())
        am.set { $0.logoutStatus = status }
        let report = try await am.journey().bound(to: desk.caller()).signOff()
        let found =
            switch report.session {
            case .nothing: "nothing"
            case .ended: "ended"
            case .alreadyGone: "alreadyGone"
            case .failed: "failed"
            }
        #expect(found == outcome)
        #expect(report.isComplete == (outcome != "failed"))
        #expect(try await desk.session.get() == nil)
    }

    @Test func `forgets the session also when AM cannot be reached at all`() async throws {
        try await desk.signIn("s1", created: am.time.now())
        am.network.on(.get, ScriptedAM.serverInfo, failing: .notReached(.connect))
        let report = try await am.journey().bound(to: desk.caller()).signOff()
        guard case .failed(.notReached(.connect)) = report.session else {
            Issue.record("\(report)")
            return
        }
        #expect(try await desk.session.get() == nil)
    }

    @Test func `revokes the tokens although the session cannot be ended, and the other way round`() async throws {
        am.steps(success("s1"))
        let bound = try am.journey(oidc: true).bound(to: desk.caller())
        for (logout, revoke) in [(500, 200), (200, 503)] {
            _ = try await bound.start("Login")
            #expect(try await desk.tokens.get() != nil)
            am.set {
                $0.logoutStatus = logout
                $0.revokeStatus = revoke
            }
            am.network.forgetRequests()
            let report = await bound.signOff()
            #expect(!report.isComplete)
            if case .failed = report.session { #expect(logout == 500) } else { #expect(logout == 200) }
            if case .failed = report.tokens { #expect(revoke == 503) } else { #expect(revoke == 200) }
            #expect(try await desk.tokens.get() == nil)
            #expect(am.sent(ScriptedAM.sessions).count == 1)
            #expect(!am.sent(ScriptedAM.oauth + "/token/revoke").isEmpty)
        }
    }

    @Test func `without a session still revokes the tokens`() async throws {
        am.steps(success("s1"))
        let bound = try am.journey(oidc: true).bound(to: desk.caller())
        _ = try await bound.start("Login")
        try await desk.session.delete()
        let report = await bound.signOff()
        guard case .nothing = report.session, case .ended = report.tokens else {
            Issue.record("\(report)")
            return
        }
    }

    @Test func `reports a store that fails and ends what it can`() async throws {
        var caller = desk.caller()
        caller.storages[.session] = FailingStorage<SSOSession>(reading: .unavailable)
        let report = try await am.journey().bound(to: caller).signOff()
        #expect(report.stores == [.unavailable])
        #expect(!report.isComplete)
    }
}
