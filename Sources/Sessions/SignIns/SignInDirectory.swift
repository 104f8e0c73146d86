package import Basics
package import Logs
package import StorageKit

/// The index of sign-ins: finds, lists and ends sessions of a user or of a provider session, without their cookies.
///
/// A sign-in reads its session, is entered into the index, then the marks are read, then it is stored. An end writes its mark first,
/// then it reads the index, and then it changes every session in it, also one that holds nothing to end yet: a sign-in
/// that is about to be stored there has to read the marks again. So either the sign-in sees the mark or the end sees the
/// sign-in, whichever process dies in between.
package final class SignInDirectory: Sendable {
    /// The keys of the index.
    package let keys: IndexKeys
    private let store: any ByteStore
    private let index: (any SessionIndex)?
    private let sealer: ServerSealer
    private let marks: EndMarks
    private let time: any TimeSource
    private let times: SessionTimes
    private let known: KnownSessions
    private let logger: Logger

    /// Makes the index over a store.
    ///
    /// - Parameters:
    ///   - store: The store of the sessions.
    ///   - index: The index of the store; nil for a store without one, in which nothing is found and nothing is ended.
    ///   - keys: The server keys.
    ///   - sessions: The life times of sessions, the facts that this process keeps, and the clock.
    ///   - logger: Logs lists that do not open.
    package init(
        _ store: any ByteStore, index: (any SessionIndex)?, keys: ServerKeys, _ sessions: Surroundings, logger: Logger
    ) {
        self.store = store
        self.index = index
        self.keys = IndexKeys(keys)
        sealer = ServerSealer(keys, purpose: "sign-ins")
        (times, known, time) = (sessions.times, sessions.known, sessions.time)
        marks = EndMarks(store, sessions.time, keep: sessions.times.absolute)
        self.logger = logger
    }

    /// The surroundings that an index shares with the sessions of its server.
    package struct Surroundings: Sendable {
        let times: SessionTimes
        let known: KnownSessions
        let time: any TimeSource

        /// The life times of sessions, the facts that this process keeps, and the clock.
        package init(_ times: SessionTimes, _ known: KnownSessions, _ time: any TimeSource) {
            self.times = times
            self.known = known
            self.time = time
        }
    }

    // MARK: Sign-ins

    /// Enters a sign-in that is about to be stored, and then looks if its user or provider session has been ended.
    ///
    /// The session has been read by then, so that an end that overtakes the sign-in makes its commit fail.
    ///
    /// - Parameters:
    ///   - names: The names of the sign-in.
    ///   - session: The session in which it is stored.
    ///   - authenticated: The time at which the user authenticated.
    /// - Returns: True if the sign-in has been ended.
    /// - Throws: `.full` if the user has too many living entries; `.unavailable`.
    package func enter(
        _ names: IndexNames, _ session: SessionKey, authenticated: Timestamp
    ) async throws(StoreError) -> Bool {
        guard let index else { return false }
        let entry = IndexEntry(
            session, keys: [names.user, names.session, keys.share(of: session)], expires: time.now() + times.absolute,
            marks: [names.user, names.session, keys.everyone()[0]].map(EndMarks.place), field: EndMarks.field)
        var marks: [SessionSnapshot]
        do throws(StoreError) {
            marks = try await insisting { () throws(StoreError) in try await index.addToIndex(entry) }
        } catch {
            guard error == .full else { throw error }
            for key in entry.keys { try await makeRoom(key, entry, index) }
            marks = try await insisting { () throws(StoreError) in try await index.addToIndex(entry) }
        }
        return EndMarks.isEnded(marks, authenticated: authenticated)
    }

    /// Adds an entry under one key, and removes entries of ended sessions first if there is no room.
    private func makeRoom(
        _ key: [UInt8], _ entry: IndexEntry, _ index: any SessionIndex
    ) async throws(StoreError) {
        do throws(StoreError) {
            try await index.addToIndex(key, entry.session, expires: entry.expires)
        } catch {
            guard error == .full else { throw error }
            try await clear(key)
            try await index.addToIndex(key, entry.session, expires: entry.expires)
        }
    }

    /// Repeats a call that may be repeated while the store does not answer, as often as a commit.
    private func insisting<Result>(
        _ call: () async throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        for wait in times.storeRetries {
            do throws(StoreError) {
                return try await call()
            } catch {
                guard error == .unavailable else { throw error }
            }
            try? await time.sleep(for: wait)
        }
        return try await call()
    }

    /// Removes the entries of a session that has ended as a whole; its name is never used again.
    package func remove(_ list: SignInList, of session: SessionKey) async {
        let shares = [keys.share(of: session)]
        for key in Set(list.parts.flatMap { [$0.names.user, $0.names.session] } + shares) {
            try? await index?.removeFromIndex(key, session)
        }
    }

    /// Writes a list with an edit of its session: that of the session as it was read, without parts that `meta` does not
    /// name, and with these parts.
    ///
    /// - Parameters:
    ///   - parts: The parts that the edit stores.
    ///   - device: Words about the browser; empty if they are unknown.
    ///   - meta: The table of contents that the edit stores.
    ///   - session: The session as it was read; nil for a new one.
    ///   - edit: The edit.
    /// - Throws: `.unavailable`.
    package func put(
        _ parts: [SignInList.Part], device: String, in meta: MetaRecord, of session: OpenedSession?,
        _ edit: inout SessionEdit
    ) throws(StoreError) {
        // A list that does not open here, because its server key is gone or it was tampered with, does not keep a user
        // from signing in.
        let known = session.flatMap { session in try? intact(session.snapshot, session.key) }
        var list = known?.kept(in: meta) ?? SignInList(begun: time.now(), device: device)
        // rule: a list that may lack sign-ins says so
        if known == nil, let former = session?.meta, !former.tokens.isEmpty || !former.sessions.isEmpty {
            list.isWhole = false
        }
        if list.parts.isEmpty { list.begun = time.now() }
        if !device.isEmpty { list.device = device }
        for part in parts { list.put(part) }
        edit.setList(try seal(list, of: edit.key))
    }

    private func seal(_ list: SignInList, of session: SessionKey) throws(StoreError) -> [UInt8] {
        do { return try sealer.seal(list.encoded, context: session.bytes) } catch { throw .unavailable }
    }

    private func open(_ stored: StoredField, of session: SessionKey) throws(StoreError) -> SignInList {
        do {
            return try SignInList(decoding: try sealer.open(stored.value, context: session.bytes))
        } catch SealError.unknownKey, RecordError.newer {
            // Another process has a newer key or program: what it stored must not be taken for ended.
            logger.error("The sign-ins of a session are sealed under a key that this process does not have")
            throw .unavailable
        } catch {
            logger.error("A stored record does not open; its session ends", metadata: ["record": "sign-ins"])
            throw .gone
        }
    }

    // MARK: Lists

    /// The most sessions of a user that are listed; the newest ones are.
    static let longestList = 256

    /// The living sessions in which a user is signed in, oldest first; of each only the parts of this user.
    ///
    /// - Throws: `.unavailable`.
    package func sessions(issuer: String, subject: String) async throws(StoreError) -> [ListedSession] {
        let names = keys.user(issuer: issuer, subject: subject)
        var listed: [ListedSession] = []
        for session in try await indexed(names).suffix(Self.longestList) {
            let snapshot = try await store.read(session, .all)
            guard let list = try intact(snapshot, session)?.living(in: snapshot), let ends = snapshot.expires else {
                continue
            }
            let parts = list.parts.filter { names.contains($0.names.user) }
            guard !parts.isEmpty else { continue }
            // The end of a session is its last use and the idle timeout, as far as its absolute end allows.
            let lastUsed = min(max(ends - times.idle, list.begun), time.now())
            listed.append(
                ListedSession(
                    key: session, id: keys.publicID(session), begun: list.begun, lastUsed: lastUsed, ends: ends,
                    device: list.device, parts: parts))
        }
        return listed.sorted { $0.begun < $1.begun }
    }

    // MARK: Ends

    /// Ends sign-ins on all processes: those that are stored, and those under way.
    ///
    /// Nothing is revoked at the provider, because only the cookie opens the tokens.
    ///
    /// - Returns: The ended parts, by session.
    /// - Throws: `.full`, `.unavailable`; then a part may be ended, and the call may be repeated.
    package func end(_ target: EndTarget) async throws(StoreError) -> [EndedSignIns] {
        guard index != nil else { throw .unavailable }
        var ended: [EndedSignIns] = []
        for group in target.groups(keys) {
            // rule: an end is marked before anything is ended
            for name in group.marks { try await marks.raise(name, to: group.until) }
            for session in try await indexed(group.names) {
                let parts = try await end(session) { part in group.covers(part) && target.allows(part, keys) }
                if !parts.isEmpty { ended.append(EndedSignIns(session: session, parts: parts)) }
            }
        }
        return ended
    }

    /// Ends a user's sign-ins in one session, found by its public id.
    ///
    /// - Returns: nil if the user is not signed in to such a session.
    /// - Throws: `.unavailable`.
    package func end(
        id: String, issuer: String, subject: String, except own: SessionKey? = nil
    ) async throws(StoreError) -> EndedSignIns? {
        let names = keys.user(issuer: issuer, subject: subject)
        for session in try await indexed(names) where keys.isPublicID(id, of: session) && session != own {
            let parts = try await end(session) { names.contains($0.names.user) }
            return parts.isEmpty ? nil : EndedSignIns(session: session, parts: parts)
        }
        return nil
    }

    /// Ends a user's sign-ins in all sessions but one.
    ///
    /// - Throws: `.unavailable`.
    package func endOthers(
        issuer: String, subject: String, except own: SessionKey
    ) async throws(StoreError) -> [EndedSignIns] {
        let names = keys.user(issuer: issuer, subject: subject)
        var ended: [EndedSignIns] = []
        for session in try await indexed(names) {
            // rule: the ends of a user's other sessions leave the own one
            if session == own { continue }
            let parts = try await end(session) { names.contains($0.names.user) }
            if !parts.isEmpty { ended.append(EndedSignIns(session: session, parts: parts)) }
        }
        return ended
    }

    private func indexed(_ names: [[UInt8]]) async throws(StoreError) -> [SessionKey] {
        guard let index else { throw .unavailable }
        var seen = Set<SessionKey>()
        var sessions: [SessionKey] = []
        for name in names {
            for session in try await index.listIndex(name) where seen.insert(session).inserted {
                sessions.append(session)
            }
        }
        return sessions
    }

    /// Ends parts of a session, and the session with the last of them.
    private func end(_ session: SessionKey, _ isMeant: (SignInList.Part) -> Bool) async throws(StoreError)
        -> [SignInList.Part]
    {
        for _ in 0..<64 {
            do throws(StoreError) {
                return try await endOnce(session, isMeant)
            } catch {
                guard error.isOvertaken else { throw error }
            }
        }
        throw .unavailable
    }

    /// One attempt to end parts of a session.
    ///
    /// - Throws: `.conflict` or `.gone` if another writer was faster.
    private func endOnce(_ session: SessionKey, _ isMeant: (SignInList.Part) -> Bool) async throws(StoreError)
        -> [SignInList.Part]
    {
        let snapshot = try await store.read(session, .all)
        guard snapshot.exists else {
            try await bury(session)
            return []
        }
        let list: SignInList?
        do throws(StoreError) {
            list = try readable(snapshot, session)
        } catch {
            guard error == .gone else { throw error }
            // The list was tampered with, and does not tell whose session it is.
            // rule: a session whose list does not open ends
            try await store.commit(session, .end())
            return []
        }
        let living = list?.living(in: snapshot)
        // A session whose list may lack sign-ins ends as a whole.
        let ending = living.map { $0.isWhole ? $0.parts.filter(isMeant) : $0.parts } ?? []
        let commit = try commit(ending: ending, of: living, session, snapshot)
        try await store.commit(session, commit)
        if commit.mode == .end {
            known.ends.note(session, isSignedIn: true, .over(.ended))
            if let list { await remove(list, of: session) }
        }
        for part in ending where part.isTokens { known.ends.note(session, part.instance, .ended) }
        return ending
    }

    /// The list of a session; nil for a session without one, and for a list that was tampered with.
    ///
    /// - Throws: `.unavailable` if another process can open it.
    private func intact(_ snapshot: SessionSnapshot, _ session: SessionKey) throws(StoreError) -> SignInList? {
        do throws(StoreError) {
            return try readable(snapshot, session)
        } catch {
            guard error == .gone else { throw error }
            return nil
        }
    }

    /// The list of a session; nil for a session without one.
    ///
    /// - Throws: `.unavailable` if another process can open it; `.gone` if it was tampered with.
    private func readable(_ snapshot: SessionSnapshot, _ session: SessionKey) throws(StoreError) -> SignInList? {
        try snapshot[SignInList.field].map { stored throws(StoreError) in try open(stored, of: session) }
    }

    /// The commit that ends parts of a session.
    ///
    /// It writes the table of contents again unchanged, so that every edit in flight fails and reads the session anew.
    private func commit(
        ending: [SignInList.Part], of list: SignInList?, _ session: SessionKey, _ snapshot: SessionSnapshot
    ) throws(StoreError) -> SessionCommit {
        guard let meta = snapshot[MetaRecord.field] else { return .end() }
        let same = FieldWrite.set(MetaRecord.field, meta.value, expected: .revision(meta.revision))
        guard var rest = list, !ending.isEmpty || !rest.isWhole else { return .update(writes: [same]) }
        rest.parts.removeAll { ending.contains($0) }
        // rule: a session ends with the last of its sign-ins
        if rest.parts.isEmpty { return .end(writes: [same]) }
        let ended = (snapshot.endedParts?.fields ?? []) + ending.compactMap(\.fields.first)
        var writes = [
            same, .set(SignInList.field, try seal(rest, of: session)),
            .set(EndedParts.field, EndedParts(Array(Set(ended)).sorted()).encoded),
        ]
        for field in ending.flatMap(\.fields) { writes.append(.delete(field)) }
        // A change of the cookie that is not final keeps the records from before, which must not come back.
        for entry in snapshot.entries {
            // rule: an ended sign-in does not come back with a former cookie
            if entry.name.hasPrefix(RotationRecord.prefix) { writes.append(.delete(entry.name)) }
        }
        return .update(writes: writes)
    }

    /// Keeps a session that does not exist from being created, by a sign-in that has read the marks already.
    private func bury(_ session: SessionKey) async throws(StoreError) {
        do throws(StoreError) {
            try await store.commit(session, .create(expires: time.now() + .seconds(60)))
            try await store.commit(session, .end())
        } catch {
            // A session that has ended stays ended: the store remembers it for longer than a sign-in takes. Of one that
            // was created meanwhile, the caller hears by the conflict.
            guard error == .gone else { throw error }
        }
    }

    /// Removes entries of sessions that have ended by their times, which no request has noticed.
    private func clear(_ key: [UInt8]) async throws(StoreError) {
        guard let index else { return }
        for session in try await index.listIndex(key) where try await !store.read(session, .names([])).exists {
            try await bury(session)
            try await index.removeFromIndex(key, session)
        }
    }
}
