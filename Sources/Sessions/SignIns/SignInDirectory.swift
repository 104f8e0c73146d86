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
    let store: any ByteStore
    let index: (any SessionIndex)?
    private let sealer: ServerSealer
    let marks: EndMarks
    let time: any TimeSource
    private let times: SessionTimes
    let known: KnownSessions
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
    ///   - ends: The absolute end of the session; nil for a new one. It may be later than that of a new one, because the
    ///     settings were others when the session began.
    ///   - authenticated: The time at which the user authenticated.
    /// - Returns: True if the sign-in has been ended.
    /// - Throws: `.full` if the user has too many living entries; `.unavailable`.
    package func enter(
        _ names: SignInNames, _ session: SessionKey, ends: Timestamp?, authenticated: Timestamp
    ) async throws(StoreError) -> Bool {
        guard let index else { return false }
        let own = time.now() + times.absolute
        // The session gets its end later than its entries, by as long as the store takes.
        let expires = max(own, ends ?? own) + .seconds(60)
        // rule: an end counts under whichever server key it was marked | [names.current.user, names.current.session]
        let marks = keys.marks(of: names)
        let entry = IndexEntry(
            session, keys: [names.current.user, names.current.session, keys.share(of: session)], expires: expires,
            marks: marks.map(EndMarks.place), field: EndMarks.field)
        let found: [SessionSnapshot]
        do throws(StoreError) {
            found = try await insisting { () throws(StoreError) in try await index.addToIndex(entry) }
        } catch {
            guard error == .full else { throw error }
            for key in entry.keys { try await makeRoom(key, entry, index) }
            found = try await insisting { () throws(StoreError) in try await index.addToIndex(entry) }
        }
        return EndMarks.isEnded(found, authenticated: authenticated)
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
    func insisting<Result>(
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

    /// Removes the entries of a session that its cookie has ended.
    package func forget(_ session: OpenedSession) async {
        if let list = try? intact(session.snapshot, session.key) { await remove(list, of: session.key) }
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
    ///   - parts: The parts that the edit stores, after the cookie rotation that it makes.
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
        var list =
            session.flatMap { known?.living(in: $0.snapshot) } ?? SignInList(begun: time.now(), device: device)
        // rule: a list that may lack sign-ins says so
        if known == nil, let former = session?.meta, !former.tokens.isEmpty || !former.sessions.isEmpty {
            list.isWhole = false
        }
        if !device.isEmpty { list.device = device }
        list.put(parts, in: meta, keptBy: edit.rotation(of: session), at: time.now())
        edit.setList(try seal(list, of: edit.key))
    }

    /// The time at which the user of a part authenticated, as it was stored; nil if the list does not tell.
    package func authenticated(_ field: String, in session: OpenedSession) -> Timestamp? {
        (try? intact(session.snapshot, session.key))?.parts.first { $0.name == field }?.authenticated
    }

    /// The fields of the parts that end together with one: those of the same user with the same provider session, who
    /// authenticated no later for them.
    ///
    /// - Parameters:
    ///   - field: The field of the part.
    ///   - names: The names of its sign-in; parts may be listed under another server key.
    ///   - session: The session.
    /// - Returns: The fields; nil if the list does not tell.
    package func fields(
        endingWith field: String, _ names: SignInNames, in session: OpenedSession
    ) -> Set<String>? {
        guard let parts = (try? intact(session.snapshot, session.key))?.parts.filter({ $0.rotation == nil }),
            let own = parts.first(where: { $0.name == field })
        else { return nil }
        let ending = parts.filter {
            // rule: an end that a renewal finds is of one provider session
            guard $0.names == own.names || names.all.contains($0.names) else { return false }
            // rule: a later authentication outlives the end that a renewal finds | true
            return $0.authenticated <= own.authenticated
        }
        return Set(ending.map(\.name))
    }

    /// Gives the tokens and the provider session of a sign-in another name, with an edit of the session.
    ///
    /// The tokens of other clients are bound to the provider session that they came from, and keep its name. So does
    /// what a cookie rotation keeps.
    ///
    /// - Parameters:
    ///   - fields: The fields of the tokens and of the provider session.
    ///   - former: The names that the tokens had; a part that was renamed since stays as it is.
    ///   - names: The name.
    ///   - session: The session.
    ///   - edit: The edit.
    /// - Throws: `.unavailable`.
    package func rename(
        _ fields: [String], from former: SignInNames, _ names: IndexNames, in session: OpenedSession,
        _ edit: inout SessionEdit
    ) throws(StoreError) {
        guard var list = try? intact(session.snapshot, session.key) else { return }
        let places = list.parts.indices.filter { place in
            let part = list.parts[place]
            return fields.contains(part.name) && part.names != names && former.all.contains(part.names)
        }
        if places.isEmpty { return }
        for place in places { list.parts[place].names = names }
        edit.setList(try seal(list, of: session.key))
    }

    func seal(_ list: SignInList, of session: SessionKey) throws(StoreError) -> [UInt8] {
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
    /// - Parameters:
    ///   - issuer: The provider's issuer.
    ///   - subject: The subject at the issuer.
    ///   - own: A session that is listed whatever its age; nil for none.
    /// - Returns: The sessions, and those that were found to be over, to be forgotten by `forget(_:ofUser:issuer:)`.
    /// - Throws: `.unavailable`.
    package func sessions(
        issuer: String, subject: String, own: SessionKey? = nil
    ) async throws(StoreError) -> (listed: [ListedSession], over: [SessionKey]) {
        let names = keys.user(issuer: issuer, subject: subject)
        var listed: [(place: Int, session: ListedSession)] = []
        var over: [SessionKey] = []
        let all = try await indexed(names)
        let first = all.firstIndex { $0 == own }
        for place in [first].compactMap(\.self) + all.indices.reversed().filter({ $0 != first }) {
            // Sessions that are over do not count, but one call looks at a bounded number of them.
            if listed.count == Self.longestList || over.count == 4 * Self.longestList { break }
            let session = all[place]
            let snapshot = try await store.read(session, .all)
            if !snapshot.exists { over.append(session) }
            guard let list = try intact(snapshot, session)?.living(in: snapshot), let ends = snapshot.expires else {
                continue
            }
            let parts = list.parts.filter { $0.rotation == nil && names.contains($0.names.user) }
            guard !parts.isEmpty else { continue }
            // The end of a session is its last use and the idle timeout, as far as its absolute end allows.
            let lastUsed = min(max(ends - times.idle, list.begun), time.now())
            let listing = ListedSession(
                key: session, id: keys.publicID(session), begun: list.begun, lastUsed: lastUsed, ends: ends,
                device: list.device, parts: parts)
            listed.append((place, listing))
        }
        listed.sort { ($0.session.begun, $0.place) < ($1.session.begun, $1.place) }
        return (listed.map(\.session), over)
    }

    /// Removes entries of a user's sessions that are over by their times, which no request has noticed.
    package func forget(_ over: [SessionKey], ofUser subject: String, issuer: String) async {
        for name in keys.user(issuer: issuer, subject: subject) { try? await clear(name, over) }
    }

    /// The list of a session; nil for a session without one, and for a list that was tampered with.
    ///
    /// - Throws: `.unavailable` if another process can open it.
    func intact(_ snapshot: SessionSnapshot, _ session: SessionKey) throws(StoreError) -> SignInList? {
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
    func readable(_ snapshot: SessionSnapshot, _ session: SessionKey) throws(StoreError) -> SignInList? {
        try snapshot[SignInList.field].map { stored throws(StoreError) in try open(stored, of: session) }
    }

    func indexed(_ names: [[UInt8]]) async throws(StoreError) -> [SessionKey] {
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
}
