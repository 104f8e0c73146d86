package import Basics
package import StorageKit

/// Copies of records as the store gave them, for storages whose strategy allows that.
///
/// A copy is one whole reply of the store, still sealed: only the cookie opens it. It is dropped when this process
/// changes the session, sees that it has ended, or gets a change message about it. Only a read that began after such an
/// event makes a new one, so that what has ended or was replaced never comes back. Where the store sends change
/// messages, a session is copied only while they arrive. Nothing is ever written from a copy.
///
/// Bounds: sessions, bytes, copies for each session; the least recently read sessions go first.
package final class SessionCopies: Sendable {
    /// The bounds of the copies.
    package struct Limits: Sendable {
        /// The most sessions with copies.
        package var sessions = 10_000
        /// The most bytes of names and values in all copies.
        package var bytes = 64 << 20
        /// The most copies of one session: one for each selection of fields.
        package var perSession = 8

        /// Makes the usual bounds.
        package init() {}
    }

    /// The state of a session at the beginning of a read.
    package struct Mark: Sendable {
        fileprivate let entry: UInt64
        fileprivate let changes: UInt64
        fileprivate let began: Timestamp
    }

    fileprivate struct Copy {
        let names: [String]
        let snapshot: SessionSnapshot
        let began: Timestamp
        let bytes: Int
    }

    fileprivate struct Entry {
        /// The number of this entry, which no other entry has.
        let number: UInt64
        /// True once change messages about the session arrive, or if the store has none.
        var isHeard: Bool
        /// The changes seen so far.
        var changes: UInt64 = 0
        var copies: [Copy] = []
        var listener: Task<Void, Never>?

        var bytes: Int { copies.reduce(0) { $0 + $1.bytes } }
    }

    fileprivate struct State {
        /// The sessions that were read since the last turn, and those that were read before it.
        var young: [SessionKey: Entry] = [:]
        var old: [SessionKey: Entry] = [:]
        var youngBytes = 0
        var turned = Timestamp(milliseconds: 0)
        var lastNumber: UInt64 = 0
        var messages: (any ChangeMessages)?
        /// True while the store does not answer, as the last read told.
        var isAway = false
    }

    private let limits: Limits
    private let state = Locked(State())
    private let subscriptions = BackgroundTasks()

    /// Has no copies.
    package init(_ limits: Limits = Limits()) { self.limits = limits }

    deinit {
        let entries = state.withLock { Array($0.young.values) + Array($0.old.values) }
        for entry in entries { entry.listener?.cancel() }
    }

    /// Listens to the change messages of a store from now on; nil for a store that has none.
    package func follow(_ messages: (any ChangeMessages)?) {
        state.withLock { $0.messages = messages }
    }

    /// Waits until no subscription to change messages is under way.
    package func settled() async { await subscriptions.settled() }

    /// The number of sessions with copies.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }

    // MARK: Reading

    /// Begins a read of a session whose reply is to be kept; nil while replies about the session are not kept.
    package func begin(_ session: SessionKey, at now: Timestamp) -> Mark? {
        state.withLock { state in
            guard let entry = state[session] else { return nil }
            // rule: a session is copied only while its changes are heard
            guard entry.isHeard else { return nil }
            return Mark(entry: entry.number, changes: entry.changes, began: now)
        }
    }

    /// Keeps the reply to a read.
    ///
    /// Without a mark nothing is kept: the process then begins to listen to changes of the session, for later reads.
    package func keep(_ snapshot: SessionSnapshot, _ names: [String], of session: SessionKey, _ mark: Mark?) {
        guard let mark else { return listen(to: session) }
        let bytes = snapshot.entries.reduce(128) { $0 + $1.name.utf8.count + $1.field.value.count + 64 }
        let dropped = state.withLock { state -> [Entry] in
            // rule: what was read before a change is not kept
            guard var entry = state[session], entry.number == mark.entry, entry.changes == mark.changes else {
                return []
            }
            state.take(session)
            entry.copies.removeAll { $0.names == names }
            // rule: a session has a bounded number of copies
            if entry.copies.count >= limits.perSession { entry.copies.removeFirst() }
            entry.copies.append(Copy(names: names, snapshot: snapshot, began: mark.began, bytes: bytes))
            let dropped = state.turn(for: entry.bytes, limits, at: mark.began)
            state.put(session, entry)
            return dropped
        }
        for entry in dropped { entry.listener?.cancel() }
    }

    /// The reply of the store to an earlier read of exactly these fields.
    ///
    /// - Returns: Nil without a copy, and for one that is too old or whose session has expired since.
    package func copy(
        _ session: SessionKey, _ names: [String], maxAge: Duration, at now: Timestamp
    ) -> SessionSnapshot? {
        state.withLock { state in
            guard let copy = state[session]?.copies.first(where: { $0.names == names }) else { return nil }
            // rule: a copy has its age
            guard now >= copy.began, now < copy.began + maxAge else { return nil }
            // rule: a copy of an expired session is none
            guard let expires = copy.snapshot.expires, now < expires else { return nil }
            return copy.snapshot
        }
    }

    // MARK: Changes

    /// Drops the copies of a session that changed, may have changed or has ended.
    package func drop(_ session: SessionKey) {
        state.withLock { state in
            state.change(session)
        }
    }

    /// Drops the copies of a session that one ticket opens.
    ///
    /// Who knows the name of a session, and not its cookie, drops none by it.
    package func drop(_ session: SessionKey, ticket: String) {
        state.withLock { state in
            // rule: a cookie drops the copies that it opens
            state.change(session) { $0.names.contains(ticket) }
        }
    }

    /// Drops all copies, because a session has ended of which this process does not know which one it is.
    package func dropAll() {
        state.withLock { state in
            for session in Array(state.young.keys) + Array(state.old.keys) { state.change(session) }
        }
    }

    /// Notes that the store did or did not answer a read.
    ///
    /// - Returns: True if that is news.
    package func note(isAway: Bool) -> Bool {
        state.withLock { state in
            defer { state.isAway = isAway }
            return state.isAway != isAway
        }
    }

    private func listen(to session: SessionKey) {
        let (begun, dropped) = state.withLock { state -> ((UInt64, any ChangeMessages)?, [Entry]) in
            guard state[session] == nil else { return (nil, []) }
            let dropped = state.turn(for: 0, limits, at: state.turned)
            state.lastNumber += 1
            let number = state.lastNumber
            state.put(session, Entry(number: number, isHeard: state.messages == nil))
            return (state.messages.map { (number, $0) }, dropped)
        }
        for entry in dropped { entry.listener?.cancel() }
        guard let (number, messages) = begun else { return }
        subscriptions.begin { [weak self] in
            // Without a subscription the entry stays as it is, and so keeps nothing, until others take its place.
            guard let changes = try? await messages.changes(of: .session(session)) else { return }
            let listener = Task(executorPreference: CurrentExecutor.preference) { [weak self] in
                for await _ in changes { self?.drop(session, number, isHeard: true) }
                self?.drop(session, number, isHeard: false)
            }
            if self?.hear(session, number, listener) != true { listener.cancel() }
        }
    }

    /// Keeps replies from now on; false if the entry is gone.
    private func hear(_ session: SessionKey, _ number: UInt64, _ listener: Task<Void, Never>) -> Bool {
        state.withLock { state in
            guard var entry = state[session], entry.number == number else { return false }
            (entry.isHeard, entry.listener) = (true, listener)
            state.replace(session, entry)
            return true
        }
    }

    private func drop(_ session: SessionKey, _ number: UInt64, isHeard: Bool) {
        state.withLock { state in
            guard let entry = state[session], entry.number == number else { return }
            state.change(session)
            guard !isHeard, var changed = state[session] else { return }
            // The store sends no more messages.
            changed.isHeard = false
            state.replace(session, changed)
        }
    }
}

extension SessionCopies.State {
    subscript(session: SessionKey) -> SessionCopies.Entry? { young[session] ?? old[session] }

    /// Removes an entry, to be put back.
    mutating func take(_ session: SessionKey) {
        if let entry = young.removeValue(forKey: session) { youngBytes -= entry.bytes }
        old[session] = nil
    }

    mutating func put(_ session: SessionKey, _ entry: SessionCopies.Entry) {
        young[session] = entry
        youngBytes += entry.bytes
    }

    /// Replaces an entry where it is.
    mutating func replace(_ session: SessionKey, _ entry: SessionCopies.Entry) {
        if let former = young[session] {
            youngBytes += entry.bytes - former.bytes
            young[session] = entry
        } else if old[session] != nil {
            old[session] = entry
        }
    }

    /// Drops copies of a session and counts the change, so that reads under way are not kept.
    mutating func change(_ session: SessionKey, _ isDropped: (SessionCopies.Copy) -> Bool = { _ in true }) {
        guard var entry = self[session] else { return }
        // rule: a read that was under way at a change is not kept
        entry.changes += 1
        // rule: a change drops the copies
        entry.copies.removeAll(where: isDropped)
        replace(session, entry)
    }

    /// Makes room: when half of the bounds is used or a minute is over, what was not read since the last turn goes.
    ///
    /// - Returns: The entries that went.
    mutating func turn(
        for bytes: Int, _ limits: SessionCopies.Limits, at now: Timestamp
    ) -> [SessionCopies.Entry] {
        let isFull = young.count >= limits.sessions / 2 || youngBytes + bytes > limits.bytes / 2
        let isDue = now >= turned + StorageStrategy.ageRange.upperBound || now < turned
        // rule: copies have a bounded number and size
        guard isFull || isDue else { return [] }
        let gone = Array(old.values)
        (old, young, youngBytes, turned) = (young, [:], 0, now)
        return gone
    }
}
