import Basics
import StorageKit
import TestSupport
import Testing

@testable import Sessions

/// Change messages that a test sends by hand.
private final class HandMessages: ChangeMessages {
    private let open = Locked<[StoreSubject: AsyncStream<Void>.Continuation]>([:])
    private let fails: Bool

    init(fails: Bool = false) { self.fails = fails }

    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        guard !fails else { throw .unavailable }
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        open.withLock { $0[subject] = continuation }
        return stream
    }

    func send(_ session: SessionKey) { open.withLock { $0[.session(session)] }?.yield() }

    func finish(_ session: SessionKey) { open.withLock { $0[.session(session)] }?.finish() }
}

@Suite("Copies of records", .timeLimit(.minutes(1)))
struct SessionCopiesTests {
    private let time = ManualTime()
    private let names = ["ticket:a", "user/a"]

    private func session(_ number: Int = 0) -> SessionKey { SessionKey(tag: Array("session \(number)".utf8)) }

    private func snapshot(_ size: Int = 10, life: Duration = .seconds(1800)) -> SessionSnapshot {
        let field = StoredField(value: [UInt8](repeating: 7, count: size), revision: 1)
        return SessionSnapshot(
            exists: true, entries: [.init(name: "user/a", field: field)], expires: time.now() + life)
    }

    private func copies(
        _ limits: SessionCopies.Limits = SessionCopies.Limits(), _ messages: HandMessages? = nil
    ) -> SessionCopies {
        let copies = SessionCopies(limits)
        copies.follow(messages)
        return copies
    }

    /// Keeps a copy: the first read only begins to listen.
    private func keep(
        _ copies: SessionCopies, _ key: SessionKey, _ snapshot: SessionSnapshot, _ names: [String]? = nil
    ) async {
        for _ in 0..<2 {
            copies.keep(snapshot, names ?? self.names, of: key, copies.begin(key, at: time.now()))
            await copies.settled()
        }
    }

    private func copy(
        _ copies: SessionCopies, _ key: SessionKey, _ names: [String]? = nil, maxAge: Duration = .seconds(60)
    ) -> SessionSnapshot? {
        copies.copy(key, names ?? self.names, maxAge: maxAge, at: time.now())
    }

    @Test("are given for exactly the fields that were read, and the same session")
    func exact() async {
        let copies = copies()
        await keep(copies, session(), snapshot())
        #expect(copy(copies, session()) == snapshot())
        #expect(copy(copies, session(), ["ticket:b", "user/a"]) == nil)
        #expect(copy(copies, session(), ["ticket:a"]) == nil)
        #expect(copy(copies, session(1)) == nil)
    }

    @Test("count for their age, from the beginning of the read, and not after a clock was set back")
    func age() async {
        let copies = copies()
        await keep(copies, session(), snapshot())
        time.advance(by: .milliseconds(9999))
        #expect(copy(copies, session(), maxAge: .seconds(10)) != nil)
        time.advance(by: .milliseconds(1))
        #expect(copy(copies, session(), maxAge: .seconds(10)) == nil)
        #expect(copy(copies, session(), maxAge: .seconds(11)) != nil)
        time.advance(by: .seconds(-11))
        #expect(copy(copies, session(), maxAge: .seconds(60)) == nil)
    }

    @Test("end with their session")
    func expiry() async {
        let copies = copies()
        await keep(copies, session(), snapshot(life: .seconds(20)))
        time.advance(by: .milliseconds(19_999))
        #expect(copy(copies, session()) != nil)
        time.advance(by: .milliseconds(1))
        #expect(copy(copies, session()) == nil)
    }

    @Test("are dropped by a change, and a read that began before it makes no other")
    func change() async {
        let copies = copies()
        await keep(copies, session(), snapshot())
        let mark = copies.begin(session(), at: time.now())
        copies.drop(session())
        #expect(copy(copies, session()) == nil)
        copies.keep(snapshot(), names, of: session(), mark)
        #expect(copy(copies, session()) == nil)
        copies.keep(snapshot(), names, of: session(), copies.begin(session(), at: time.now()))
        #expect(copy(copies, session()) != nil)
    }

    @Test("are dropped by a message about their session alone")
    func message() async {
        let messages = HandMessages()
        let copies = copies(SessionCopies.Limits(), messages)
        await keep(copies, session(), snapshot())
        await keep(copies, session(1), snapshot())
        messages.send(session())
        while copy(copies, session()) != nil { await Task.yield() }
        #expect(copy(copies, session(1)) != nil)
    }

    @Test("are not made before the store's messages are heard, and not where it sends none any more")
    func unheard() async {
        let failing = copies(SessionCopies.Limits(), HandMessages(fails: true))
        await keep(failing, session(), snapshot())
        #expect(copy(failing, session()) == nil)
        let messages = HandMessages()
        let copies = copies(SessionCopies.Limits(), messages)
        await keep(copies, session(), snapshot())
        #expect(copy(copies, session()) != nil)
        messages.finish(session())
        while copy(copies, session()) != nil { await Task.yield() }
        while copies.begin(session(), at: time.now()) != nil { await Task.yield() }
        await keep(copies, session(), snapshot())
        #expect(copy(copies, session()) == nil)
    }

    @Test("have a bounded number of sessions, of which the last ones that were read stay")
    func sessions() async {
        var limits = SessionCopies.Limits()
        limits.sessions = 10
        let copies = copies(limits)
        for number in 0..<100 {
            await keep(copies, session(number), snapshot())
            #expect(copies.count <= 10)
        }
        for number in 96..<100 { #expect(copy(copies, session(number)) != nil) }
        #expect(copy(copies, session(0)) == nil)
    }

    @Test("have a bounded size, and so have those of one session")
    func bytes() async {
        var limits = SessionCopies.Limits()
        limits.bytes = 10_000
        limits.perSession = 2
        let copies = copies(limits)
        for number in 0..<50 {
            await keep(copies, session(number), snapshot(1500))
            #expect((0..<50).count { copy(copies, session($0)) != nil } <= 6)
        }
        for name in ["a", "b", "c"] { await keep(copies, session(49), snapshot(), [name]) }
        #expect(["a", "b", "c"].map { copy(copies, session(49), [$0]) != nil } == [false, true, true])
    }

    @Test("of sessions that are not read any more go after a minute or two, with their subscriptions")
    func turn() async {
        let copies = copies(SessionCopies.Limits(), HandMessages())
        await keep(copies, session(0), snapshot())
        for number in 1...2 {
            time.advance(by: .seconds(61))
            await keep(copies, session(number), snapshot())
            time.advance(by: .seconds(1))
            await keep(copies, session(number), snapshot())
        }
        #expect(copies.count == 2 && copy(copies, session(2)) != nil)
    }

    @Test("count for several storages where they count for each, with the least age")
    func strictest() {
        let failure = StorageStrategy(.cacheOnFailure, maxAge: .seconds(30))
        let cache = StorageStrategy(.cache)
        #expect(cache.maxAge == .seconds(1) && StorageStrategy(.cacheOnFailure).maxAge == .seconds(60))
        #expect(StorageStrategy.strictest([failure]) == failure)
        #expect(StorageStrategy.strictest([cache, failure]) == StorageStrategy(.cacheOnFailure, maxAge: .seconds(1)))
        #expect(StorageStrategy.strictest([failure, nil]) == nil)
        #expect(StorageStrategy.strictest([StorageStrategy(.noCache), cache]) == nil)
        #expect(StorageStrategy.strictest([]) == nil)
    }
}

@Suite("A copy of a session")
struct OpenedCopyTests {
    private func cookies(_ session: OpenedSession, _ device: SentDeviceProof = SentDeviceProof()) -> SessionCookies {
        SessionCookies(session: session.credential.cookieValue, start: nil, device: device, began: .now)
    }

    /// Reads `token/a` twice and keeps it.
    private func keep(_ bench: SessionBench, _ session: OpenedSession) async throws {
        for _ in 0..<2 {
            let mark = bench.store.beginCopy(cookies(session))
            let names = [session.credential.ticketField, "token/a"]
            let opened = try await bench.store.open(session.credential, .names(names))
            bench.store.keepCopy(opened, ["token/a"], cookies(session), mark)
            await bench.store.copies.settled()
        }
    }

    private func copy(
        _ bench: SessionBench, _ session: OpenedSession, _ device: SentDeviceProof = SentDeviceProof()
    ) -> OpenedSession? {
        bench.store.openCopy(cookies(session, device), ["token/a"], maxAge: .seconds(60))
    }

    @Test("is opened by its cookie, until an attempt to sign out")
    func opened() async throws {
        let bench = try SessionBench()
        let session = try await bench.session()
        try await keep(bench, session)
        #expect(copy(bench, session)?.record("token/a") == [1])
        bench.store.dropCopies(cookies(session))
        #expect(copy(bench, session) == nil)
    }

    @Test("is not made of a session without a sign-in, nor for a cookie that was replaced or is not confirmed")
    func weak() async throws {
        let bench = try SessionBench()
        let anonymous = try await bench.session(isSignedIn: false)
        try await keep(bench, anonymous)
        #expect(copy(bench, anonymous) == nil)
        let session = try await bench.session()
        let (credential, _) = try await bench.rotate(session)
        for opened in [try await bench.open(session.credential), try await bench.open(credential)] {
            try await keep(bench, opened)
            #expect(copy(bench, opened) == nil)
        }
        #expect(bench.store.copies.count == 0)
    }

    @Test("of a bound session is opened with its device's proof alone")
    func bound() async throws {
        let bench = try SessionBench(deviceCookie: .seconds(300))
        let session = try await bench.session()
        var edit = SessionEdit(session)
        try bench.store.tickets.bind(session, &edit)
        try await bench.store.commit(edit)
        let fresh = try await bench.open(session.credential)
        let device = bench.store.deviceCookie(of: fresh, for: .seconds(300))
        try await keep(bench, fresh)
        #expect(copy(bench, fresh) == nil)
        #expect(copy(bench, fresh, SentDeviceProof(cookie: device)) != nil)
    }

    @Test("is dropped when the cookie opens nothing any more")
    func absent() async throws {
        let bench = try SessionBench()
        let session = try await bench.session()
        try await keep(bench, session)
        bench.store.keepCopy(nil, ["token/a"], cookies(session), nil)
        #expect(copy(bench, session) == nil)
    }
}

@Suite("Copies that a cookie drops")
struct DroppedCopyTests {
    @Test("are those that it opens, and not those of another cookie of the session")
    func tickets() async throws {
        let time = ManualTime()
        let (copies, store, key) = (SessionCopies(), MemoryStore(time: time), SessionKey(tag: [1]))
        let end = time.now() + .seconds(60)
        _ = try await store.commit(key, .create(expires: end, writes: [.set("ticket:a", [1])]))
        let read = try await store.read(key, .all)
        for _ in 0..<2 { copies.keep(read, ["ticket:a", "x"], of: key, copies.begin(key, at: time.now())) }
        func isThere() -> Bool {
            copies.copy(key, ["ticket:a", "x"], maxAge: .seconds(60), at: time.now()) != nil
        }
        copies.drop(key, ticket: "ticket:b")
        #expect(isThere())
        copies.drop(key, ticket: "ticket:a")
        #expect(!isThere())
    }
}

@Suite("A store whose writes are watched")
struct WatchedCopyTests {
    @Test("has no copies of a session that it changed, tried to change or saw to be gone")
    func changes() async throws {
        let time = ManualTime()
        let copies = SessionCopies()
        let inner = MemoryStore(time: time)
        let store = WatchedStore(inner: inner, health: StoreHealth(time), copies: copies)
        let key = SessionKey(tag: [1])
        let end = time.now() + .seconds(60)
        _ = try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
        func isKept(after change: () async -> Void) async throws -> Bool {
            for _ in 0..<2 {
                let mark = copies.begin(key, at: time.now())
                copies.keep(try await inner.read(key, .names(["a"])), ["a"], of: key, mark)
            }
            #expect(copies.copy(key, ["a"], maxAge: .seconds(60), at: time.now()) != nil)
            await change()
            return copies.copy(key, ["a"], maxAge: .seconds(60), at: time.now()) != nil
        }
        #expect(try await isKept { _ = try? await store.read(key, .names(["a"])) })
        #expect(try await !isKept { _ = try? await store.commit(key, .update(writes: [.set("a", [2])])) })
        let refused = SessionCommit.update(writes: [.set("a", [3], expected: .absent)])
        #expect(try await !isKept { _ = try? await store.commit(key, refused) })
        #expect(
            try await !isKept {
                _ = try? await inner.commit(key, .end())
                _ = try? await store.read(key, .names([]))
            })
    }
}
