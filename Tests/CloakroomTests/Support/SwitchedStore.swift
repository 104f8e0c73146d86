import Basics
import StorageKit

/// The way of one server to a store that several share: it can be cut, for calls and for messages apart.
final class SwitchedStore: ByteStore, ChangeMessages, SessionIndex {
    private struct State {
        var isAway = false
        var losesMessages = false
        var isFull = false
        var reads = 0
    }

    private let inner: any ByteStore & ChangeMessages & SessionIndex
    private let state = Locked(State())

    init(_ inner: any ByteStore & ChangeMessages & SessionIndex) {
        self.inner = inner
    }

    /// True while no call gets an answer.
    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }

    /// True while change messages are lost, although subscriptions succeed.
    var losesMessages: Bool {
        get { state.withLock { $0.losesMessages } }
        set { state.withLock { $0.losesMessages = newValue } }
    }

    /// True while no further session finds room.
    var isFull: Bool {
        get { state.withLock { $0.isFull } }
        set { state.withLock { $0.isFull = newValue } }
    }

    /// The number of reads that came to the store.
    var reads: Int { state.withLock { $0.reads } }

    private func check() throws(StoreError) {
        guard !isAway else { throw .unavailable }
    }

    func read(_ session: SessionKey, _ fields: FieldSelection) async throws(StoreError) -> SessionSnapshot {
        try check()
        state.withLock { $0.reads += 1 }
        return try await inner.read(session, fields)
    }

    @discardableResult
    func commit(_ session: SessionKey, _ commit: SessionCommit) async throws(StoreError) -> [String: UInt64] {
        try check()
        if isFull, commit.mode == .create { throw .full }
        return try await inner.commit(session, commit)
    }

    func put(_ key: String, _ value: [UInt8], expires: Timestamp) async throws(StoreError) {
        try check()
        try await inner.put(key, value, expires: expires)
    }

    func take(_ key: String) async throws(StoreError) -> [UInt8]? {
        try check()
        return try await inner.take(key)
    }

    func claim(_ name: String, for duration: Duration) async throws(StoreError) -> Lease? {
        try check()
        return try await inner.claim(name, for: duration)
    }

    func renew(_ lease: Lease, for duration: Duration) async throws(StoreError) -> Lease? {
        try check()
        return try await inner.renew(lease, for: duration)
    }

    func release(_ lease: Lease) async throws(StoreError) {
        try check()
        try await inner.release(lease)
    }

    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void> {
        try check()
        let messages = try await inner.changes(of: subject)
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let passing = Task { [weak self] in
            for await _ in messages where self?.losesMessages == false { continuation.yield() }
            continuation.finish()
        }
        continuation.onTermination = { _ in passing.cancel() }
        return stream
    }

    func addToIndex(_ key: [UInt8], _ session: SessionKey, expires: Timestamp) async throws(StoreError) {
        try check()
        try await inner.addToIndex(key, session, expires: expires)
    }

    func removeFromIndex(_ key: [UInt8], _ session: SessionKey) async throws(StoreError) {
        try check()
        try await inner.removeFromIndex(key, session)
    }

    func listIndex(_ key: [UInt8]) async throws(StoreError) -> [SessionKey] {
        try check()
        return try await inner.listIndex(key)
    }

    func ping() async throws(StoreError) {
        try check()
        try await inner.ping()
    }

    func close() async {}
}
