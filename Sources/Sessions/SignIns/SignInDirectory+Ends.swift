import Basics
package import StorageKit

/// Ends of sign-ins without their cookies.
extension SignInDirectory {
    /// Gets what has ended of each session, as soon as it has.
    package typealias Ended = (EndedSignIns) -> Void

    /// Ends sign-ins on all processes: those that are stored, and those under way.
    ///
    /// Nothing is revoked at the provider, because only the cookie opens the tokens.
    package func end(_ target: EndTarget, told: Ended) async -> EndOutcome {
        await ending(told) { run throws(StoreError) in
            for group in target.groups(keys) {
                // rule: an end is marked before anything is ended
                for name in group.marks { try await raise(name, to: group.until, &run) }
                for name in group.names {
                    try await end(under: name, &run) { group.covers($0) && target.allows($0, keys) }
                }
            }
        }
    }

    /// Ends a user's sign-ins in one session, found by its public id.
    ///
    /// - Returns: Nothing ended and no failure if the user is not signed in to such a session.
    package func end(
        id: String, issuer: String, subject: String, except own: SessionKey? = nil, told: Ended
    ) async -> EndOutcome {
        await end(issuer: issuer, subject: subject, told) { keys.isPublicID(id, of: $0) && $0 != own }
    }

    /// Ends a user's sign-ins in all sessions but one.
    package func endOthers(
        issuer: String, subject: String, except own: SessionKey, told: Ended
    ) async -> EndOutcome {
        await end(issuer: issuer, subject: subject, told) { session in
            // rule: the ends of a user's other sessions leave the own one | true
            return session != own
        }
    }

    private func end(
        issuer: String, subject: String, _ told: Ended, in isMeant: (SessionKey) -> Bool
    ) async -> EndOutcome {
        let names = keys.user(issuer: issuer, subject: subject)
        return await ending(told) { run throws(StoreError) in
            try await end(indexed(names).filter(isMeant), &run) { names.contains($0.names.user) }
        }
    }

    /// The ends of one call.
    private struct Run {
        var outcome = EndOutcome()
        let told: Ended
        /// The calls of the store that failed since one succeeded.
        private var failures = 0

        init(_ told: @escaping Ended) { self.told = told }

        mutating func answered() { failures = 0 }

        mutating func ended(_ parts: [SignInList.Part], of session: SessionKey) {
            answered()
            if parts.isEmpty { return }
            outcome.ended += 1
            told(EndedSignIns(session: session, parts: parts))
        }

        /// Notes that something was not ended.
        ///
        /// - Throws: The error of a store that fails again and again.
        mutating func failed(_ error: StoreError) throws(StoreError) {
            outcome.failure = error
            failures += 1
            // Each call of a store that is away may take seconds.
            // rule: a store that is away is not asked for every session
            if failures >= SignInDirectory.patience { throw error }
        }
    }

    /// The outcome of some ends.
    private func ending(_ told: Ended, _ body: (inout Run) async throws(StoreError) -> Void) async -> EndOutcome {
        await withoutActuallyEscaping(told) { told in
            var run = Run(told)
            do throws(StoreError) {
                guard index != nil else { throw .unavailable }
                try await body(&run)
            } catch {
                run.outcome.failure = error
            }
            // This process cannot know which sessions were meant.
            // rule: an end that cannot be carried out leaves no copies
            if run.outcome.failure != nil { known.copies.dropAll() }
            return run.outcome
        }
    }

    /// Marks an end; a store without room for the mark does not keep what is stored from its end.
    private func raise(_ name: [UInt8], to instant: Timestamp, _ run: inout Run) async throws(StoreError) {
        do throws(StoreError) {
            try await marks.raise(name, to: instant)
        } catch {
            guard error == .full else { throw error }
            run.outcome.failure = error
        }
    }

    /// Ends parts of the sessions under one name of the index.
    ///
    /// - Throws: The error of a store that fails again and again.
    private func end(
        under name: [UInt8], _ run: inout Run, _ isMeant: (SignInList.Part) -> Bool
    ) async throws(StoreError) {
        let sessions: [SessionKey]
        do throws(StoreError) {
            sessions = try await insisting { () throws(StoreError) in try await indexed([name]) }
        } catch {
            // It keeps no other sign-in from its end.
            // rule: a part of the index that cannot be read is told
            try run.failed(error)
            return
        }
        run.answered()
        try await end(sessions, &run, isMeant)
    }

    /// Ends parts of some sessions.
    ///
    /// What cannot be ended, because this process cannot read it or the store fails now and then, does not keep the others
    /// from their end.
    ///
    /// - Throws: The error of a store that fails again and again.
    private func end(
        _ sessions: [SessionKey], _ run: inout Run, _ isMeant: (SignInList.Part) -> Bool
    ) async throws(StoreError) {
        for session in sessions {
            do throws(StoreError) {
                guard let parts = try await end(session, isMeant) else {
                    // rule: what cannot be ended here is told
                    run.outcome.failure = .unavailable
                    continue
                }
                run.ended(parts, of: session)
            } catch {
                try run.failed(error)
            }
        }
    }

    /// The calls of the store that fail in a row after which it counts as away.
    private static let patience = 3

    /// Ends parts of a session, and the session with the last of them.
    ///
    /// - Returns: The parts; nil if another process alone can read its list, or the store has no room.
    private func end(_ session: SessionKey, _ isMeant: (SignInList.Part) -> Bool) async throws(StoreError)
        -> [SignInList.Part]?
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
        -> [SignInList.Part]?
    {
        let snapshot = try await store.read(session, .all)
        guard snapshot.exists else {
            do throws(StoreError) {
                try await bury(session)
            } catch {
                guard error == .full else { throw error }
                return nil
            }
            return []
        }
        let list: SignInList?
        do throws(StoreError) {
            list = try readable(snapshot, session)
        } catch {
            guard error == .gone else { return nil }
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
        if rest.isEmpty { return .end(writes: [same]) }
        let ended = ended(ending, of: list, snapshot)
        var writes = [
            same, .set(SignInList.field, try seal(rest, of: session)), .set(EndedParts.field, ended.encoded),
        ]
        for part in ending where part.rotation == nil { writes += part.fields.map { .delete($0) } }
        return .update(writes: writes)
    }

    /// The record of what was ended, with these parts.
    ///
    /// What a rotation has kept of a part that is in force ends with it, unless the list names another user's part there.
    private func ended(
        _ ending: [SignInList.Part], of list: SignInList?, _ snapshot: SessionSnapshot
    ) -> EndedParts {
        let rotations = snapshot.entries.map(\.name).filter { $0.hasPrefix(RotationRecord.prefix) }
        // What rotations that are over have kept is gone.
        var names = snapshot.endedParts?.settled(by: nil, rotations.contains).fields ?? []
        names += snapshot.endedParts?.fields.filter { EndedParts.rotation(of: $0) == nil } ?? []
        for part in ending {
            guard part.rotation == nil else {
                names += part.fields
                continue
            }
            names.append(part.name)
            for rotation in rotations {
                let former = part.former(of: rotation)
                // rule: the end of a sign-in is also that of the one that it has renewed
                if list?.parts.contains(where: { $0.name == former.name }) == false { names += former.fields }
            }
        }
        return EndedParts(names)
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
    func clear(_ key: [UInt8]) async throws(StoreError) {
        if let index { try await clear(key, index.listIndex(key)) }
    }

    /// Removes the entries of those of some sessions that have ended.
    func clear(_ key: [UInt8], _ sessions: [SessionKey]) async throws(StoreError) {
        guard let index else { return }
        for session in sessions where try await !store.read(session, .names([])).exists {
            try await bury(session)
            try await index.removeFromIndex(key, session)
        }
    }
}
