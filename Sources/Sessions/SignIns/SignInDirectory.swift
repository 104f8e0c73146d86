package import Basics
package import Logs
package import StorageKit

/// The index of sign-ins: finds, lists and ends sessions of a user or of a provider session, without their cookies.
///
/// A sign-in is entered into the index first, then the marks are read, then it is stored. An end writes its mark first,
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

    /// What an index shares with the sessions of its server.
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

    /// Enters a sign-in that is about to be stored.
    ///
    /// - Throws: `.full` if the user has too many living entries; `.unavailable`.
    package func enter(_ names: IndexNames, _ session: SessionKey) async throws(StoreError) {
        guard let index else { return }
        let expires = time.now() + times.absolute
        for key in [names.user, names.session] {
            do {
                try await index.addToIndex(key, session, expires: expires)
            } catch .full {
                try await clear(key)
                try await index.addToIndex(key, session, expires: expires)
            }
        }
    }

    /// True if a sign-in has been ended, by the time at which its user authenticated.
    ///
    /// - Throws: `.unavailable`.
    package func isEnded(_ names: IndexNames, authenticated: Timestamp) async throws(StoreError) -> Bool {
        guard index != nil else { return false }
        return try await marks.isEnded(names, authenticated: authenticated)
    }

    /// Removes the entries of a session that has ended as a whole; its name is never used again.
    package func remove(_ list: SignInList, of session: SessionKey) async {
        for key in Set(list.parts.flatMap { [$0.names.user, $0.names.session] }) {
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
        let known = try session.map { session throws(StoreError) in try readable(session.snapshot, session.key) } ?? nil
        var list = known?.kept(in: meta) ?? SignInList(begun: time.now(), device: device)
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
        } catch SealError.unknownKey, SealError.unsupportedVersion, RecordError.newer {
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
        // rule: a list of sessions is bounded
        for session in try await indexed(names).suffix(Self.longestList) {
            let snapshot = try await store.read(session, .all)
            guard let list = try? readable(snapshot, session)?.living(in: snapshot), let ends = snapshot.expires else { continue }
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
            for name in group.names { try await marks.raise(name, to: group.until) }
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
        // rule: the ends of a user's other sessions leave the own one
        for session in try await indexed(names) where session != own {
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
            let snapshot = try await store.read(session, .all)
            do {
                guard snapshot.exists else {
                    try await bury(session)
                    return []
                }
                let list = try readable(snapshot, session)?.living(in: snapshot)
                let ending = list.map { $0.parts.filter(isMeant) } ?? []
                try await store.commit(session, try commit(ending: ending, of: list, session, snapshot))
                if ending.count == list?.parts.count ?? -1 {
                    known.ends.note(session, isSignedIn: true, .over(.ended))
                    if let list { await remove(list, of: session) }
                }
                for part in ending where part.isTokens { known.ends.note(session, part.instance, .ended) }
                return ending
            } catch {
                guard error.isOvertaken else { throw error }
            }
        }
        throw .unavailable
    }

    /// The list of a session; nil for a session without one.
    ///
    /// - Throws: `.unavailable` if another process can open it; a list that was tampered with ends the session.
    private func readable(_ snapshot: SessionSnapshot, _ session: SessionKey) throws(StoreError) -> SignInList? {
        guard let stored = snapshot[SignInList.field] else { return nil }
        do {
            return try open(stored, of: session)
        } catch .gone {
            return SignInList(begun: time.now(), device: "")
        } catch {
            throw error
        }
    }

    /// The commit that ends parts of a session.
    ///
    /// It writes the table of contents again unchanged, so that every edit in flight fails and reads the session anew.
    private func commit(
        ending: [SignInList.Part], of list: SignInList?, _ session: SessionKey, _ snapshot: SessionSnapshot
    ) throws(StoreError) -> SessionCommit {
        guard let meta = snapshot[MetaRecord.field] else { return .end() }
        // rule: an end overtakes every edit in flight
        let same = FieldWrite.set(MetaRecord.field, meta.value, expected: .revision(meta.revision))
        guard var rest = list else { return .update(writes: [same]) }
        rest.parts.removeAll { ending.contains($0) }
        // rule: a session ends with the last of its sign-ins
        if rest.parts.isEmpty { return .end(writes: [same]) }
        if ending.isEmpty { return .update(writes: [same]) }
        let ended = (snapshot.endedParts?.fields ?? []) + ending.compactMap(\.fields.first)
        var writes = [
            same, .set(SignInList.field, try seal(rest, of: session)),
            .set(EndedParts.field, EndedParts(Array(Set(ended)).sorted()).encoded),
        ]
        for field in ending.flatMap(\.fields) { writes.append(.delete(field)) }
        // A change of the cookie that is not final keeps the records from before, which must not come back.
        // rule: an ended sign-in does not come back with a former cookie
        for entry in snapshot.entries where entry.name.hasPrefix(RotationRecord.prefix) {
            writes.append(.delete(entry.name))
        }
        return .update(writes: writes)
    }

    /// Keeps a session that does not exist from being created, by a sign-in that has read the marks already.
    private func bury(_ session: SessionKey) async throws(StoreError) {
        do {
            try await store.commit(session, .create(expires: time.now() + .seconds(60)))
            try await store.commit(session, .end())
        } catch .gone {
            // It has ended, and the store remembers that for longer than a sign-in takes.
        } catch .conflict {
            // It has been created meanwhile: the caller reads it again.
            throw .conflict(field: "")
        } catch {
            throw error
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

/// A session in which a user is signed in, as it is listed.
package struct ListedSession: Sendable, Equatable {
    /// The session in the store; it leaves the server nowhere.
    package let key: SessionKey
    /// The name of the session for its user and for operators; it opens nothing.
    package let id: String
    /// The time of the session's first sign-in.
    package let begun: Timestamp
    /// The time of the last use, to about a minute.
    package let lastUsed: Timestamp
    /// The end of the session unless it is used again.
    package let ends: Timestamp
    /// Words about the browser and its system; empty if they are unknown.
    package let device: String
    /// True if it is the session of the request.
    package var isOwn = false
    /// The sign-ins of the user.
    package let parts: [SignInList.Part]
}

/// The sign-ins that were ended in one session.
package struct EndedSignIns: Sendable, Equatable {
    /// The session in the store.
    package let session: SessionKey
    /// The parts that were ended.
    package let parts: [SignInList.Part]
}
