import Basics
import StorageKit
import TestSupport

/// A store that fails, waits and is looked at where a test wants it to.
final class FaultyStore: ByteStore, ChangeMessages, SessionIndex {
    /// How a call fails.
    enum Fault: Sendable, CaseIterable {
        /// Nothing happened.
        case before
        /// It happened and nobody was told.
        case after
    }

    /// One operation as it arrived.
    struct Call: Sendable, Equatable {
        let name: String
        let session: SessionKey?
    }

    /// What happens before a call, once; nil fits every call.
    private struct Hook {
        var name: String?
        var session: SessionKey?
        var number: Int?
        let run: @Sendable () async -> Void

        func fits(_ call: Call, _ count: Int) -> Bool {
            (name ?? call.name) == call.name && (session == nil || session == call.session)
                && (number ?? count) == count
        }
    }

    private struct State {
        var calls: [Call] = []
        var faults: [Int: Fault] = [:]
        var isDown = false
        var countsIndex = false
        var hasMessages = true
        /// The faults of calls that look like this, in order.
        var due: [(call: Call, fault: Fault)] = []
        var hooks: [Hook] = []
        var held: [String: Gate] = [:]
        /// The revisions of flow records that were given out or written; nil while they are not looked at.
        var given: Set<UInt64>?
    }

    let inner: any ByteStore
    private let state = Locked(State())

    init(_ inner: any ByteStore) {
        self.inner = inner
    }

    /// The calls so far.
    var calls: [Call] { state.withLock { $0.calls } }

    /// Counts the calls of the index, and those that read marks of ends: they are calls of a sign-in, which most
    /// tests do not look at.
    var countsIndex: Bool {
        get { state.withLock { $0.countsIndex } }
        set { state.withLock { $0.countsIndex = newValue } }
    }

    private static let indexCalls: Set<String> = ["addToIndex", "removeFromIndex", "listIndex", "readMark"]

    /// Whether every call fails.
    var isDown: Bool {
        get { state.withLock { $0.isDown } }
        set { state.withLock { $0.isDown = newValue } }
    }

    /// Gives each flow record out readable once: what is read again, or was written since, does not open.
    func openFlowsOnce() {
        state.withLock { $0.given = [] }
    }

    /// Gives everything out as it is again.
    func openFlowsAlways() {
        state.withLock { $0.given = nil }
    }

    private func once(_ snapshot: SessionSnapshot) -> SessionSnapshot {
        state.withLock { state in
            guard state.given != nil else { return snapshot }
            let entries = snapshot.entries.map { entry in
                let revision = entry.field.revision
                guard entry.name.hasPrefix("flow/"), state.given?.insert(revision).inserted == false else {
                    return entry
                }
                return SessionSnapshot.Entry(name: entry.name, field: StoredField(value: [0], revision: revision))
            }
            return SessionSnapshot(exists: snapshot.exists, entries: entries, expires: snapshot.expires)
        }
    }

    /// Whether it can send change messages.
    var hasMessages: Bool {
        get { state.withLock { $0.hasMessages } }
        set { state.withLock { $0.hasMessages = newValue } }
    }

    /// Forgets the calls and the faults to come; counting begins anew.
    func reset() {
        state.withLock { state in
            state.calls = []
            state.faults = [:]
        }
    }

    /// Lets the call of this number, from 0 after a reset, fail.
    func fail(_ number: Int, _ fault: Fault) {
        state.withLock { $0.faults[number] = fault }
    }

    /// Lets the next calls of this name on a session fail, one after another.
    func fail(_ name: String, of session: SessionKey, _ faults: Fault...) {
        state.withLock { $0.due += faults.map { (Call(name: name, session: session), $0) } }
    }

    /// Does something before the next call of this name, on this session or any, is made, once.
    func before(_ name: String, of session: SessionKey? = nil, _ run: @escaping @Sendable () async -> Void) {
        state.withLock { $0.hooks.append(Hook(name: name, session: session, run: run)) }
    }

    /// Does something before the call of this number, from 0 after a reset, is made.
    func before(_ number: Int, _ run: @escaping @Sendable () async -> Void) {
        state.withLock { $0.hooks.append(Hook(number: number, run: run)) }
    }

    /// Holds calls of this name at a gate; nil lets them through again.
    func hold(_ name: String, at gate: Gate?) {
        state.withLock { $0.held[name] = gate }
    }

    private func run<Result>(
        _ name: String, _ session: SessionKey?, _ operation: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let (planned, hook, gate) = state.withLock { state -> (Fault?, (@Sendable () async -> Void)?, Gate?) in
            if !state.countsIndex, Self.indexCalls.contains(name) {
                return (state.isDown ? .before : nil, nil, state.held[name])
            }
            let number = state.calls.count
            let call = Call(name: name, session: session)
            state.calls.append(call)
            var hook: (@Sendable () async -> Void)?
            if let place = state.hooks.firstIndex(where: { $0.fits(call, number) }) {
                hook = state.hooks.remove(at: place).run
            }
            return (state.isDown ? .before : state.faults[number], hook, state.held[name])
        }
        await hook?()
        await gate?.pass()
        let fault =
            planned
            ?? state.withLock { state -> Fault? in
                let place = state.due.firstIndex { $0.call == Call(name: name, session: session) }
                return place.map { state.due.remove(at: $0).fault }
            }
        if fault == .before { throw .unavailable }
        let result = try await operation()
        if fault == .after { throw .unavailable }
        return result
    }

    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        let name = fields == .names(["until"]) ? "readMark" : "read"
        return once(try await run(name, session) { () throws(StoreError) in try await inner.read(session, fields) })
    }

    /// Waits, and so answers nothing, where a test has arranged something: faults are counted by calls.
    func readAtOnce(_ session: SessionKey, _ fields: FieldSelection) throws(StoreError) -> SessionSnapshot? {
        let waits = state.withLock { state in
            state.isDown || !state.faults.isEmpty || !state.due.isEmpty || state.held["read"] != nil
                || state.hooks.contains { ($0.name ?? "read") == "read" }
        }
        guard !waits, let snapshot = try inner.readAtOnce(session, fields) else { return nil }
        state.withLock { $0.calls.append(Call(name: "read", session: session)) }
        return snapshot
    }

    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        let revisions = try await run("commit", session) { () throws(StoreError) in
            try await inner.commit(session, commit)
        }
        state.withLock { state in
            for (field, revision) in revisions where field.hasPrefix("flow/") { state.given?.insert(revision) }
        }
        return revisions
    }

    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        try await run("put", nil) { () throws(StoreError) in try await inner.put(key, value, expires: expires) }
    }

    func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        try await run("take", nil) { () throws(StoreError) in try await inner.take(key) }
    }

    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try await run("claim", nil) { () throws(StoreError) in try await inner.claim(name, for: duration) }
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try await run("renew", nil) { () throws(StoreError) in try await inner.renew(lease, for: duration) }
    }

    func release(_ lease: Lease) async throws(StoreError) {
        try await run("release", nil) { () throws(StoreError) in try await inner.release(lease) }
    }

    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        try await run("changes", nil) { () throws(StoreError) in
            guard hasMessages, let inner = inner as? any ChangeMessages else { throw .unavailable }
            return try await inner.changes(of: subject)
        }
    }

    private func index() throws(StoreError) -> any SessionIndex {
        guard let index = inner as? any SessionIndex else { throw .unavailable }
        return index
    }

    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        try await run("addToIndex", session) { () throws(StoreError) in
            try await index().addToIndex(key, session, expires: expires)
        }
    }

    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        try await run("removeFromIndex", session) { () throws(StoreError) in
            try await index().removeFromIndex(key, session)
        }
    }

    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        try await run("listIndex", nil) { () throws(StoreError) in try await index().listIndex(key) }
    }

    func ping() async throws(StoreError) {
        try await run("ping", nil) { () throws(StoreError) in try await inner.ping() }
    }

    func close() async { await inner.close() }
}
