internal import Basics

/// The live sessions.
final class SessionRegistry: Sendable {
    private static let capacity = 50_000

    private let idle: Duration
    private let lifetime: Duration
    private let keepsOld: Bool
    private let isClientSide: Bool
    private let journal: Journal
    private let table = Locked(BoundedTable<SSORecord>(capacity: capacity))

    init(_ settings: SimulatorSettings, journal: Journal) {
        idle = settings.sessionIdle
        lifetime = settings.sessionLifetime
        isClientSide = settings.dialect == .ping && settings.ping.clientSideSessions
        keepsOld = settings.keepsSessionAfterUpgrade || isClientSide
        self.journal = journal
    }

    var count: Int { table.withLock { $0.count } }

    /// Creates a session of a user who signed in, under a new token unless one is given.
    func create(
        _ token: String? = nil, user: String, level: Int, amr: [String], journey: String, now: Timestamp
    ) -> SSORecord {
        let record = SSORecord(
            token: token ?? newToken, id: Identifier.tracking(), user: user, level: level, amr: amr,
            journeys: [journey], authTime: now, created: now, lastUse: now)
        add(record)
        return record
    }

    /// Upgrades a session of the same user with more strength and a new token; its strength never decreases.
    ///
    /// The time of authentication changes by at least a whole second, even if a program signs in twice within one
    /// second. The new token may be given, and may equal the old one.
    func upgrade(
        _ old: SSORecord, to token: String? = nil, level: Int, amr: [String], journey: String, now: Timestamp
    ) -> SSORecord {
        let record = SSORecord(
            token: token ?? newToken, id: old.id, user: old.user, level: max(level, old.level),
            amr: old.amr + amr.filter { !old.amr.contains($0) },
            journeys: old.journeys.filter { $0 != journey } + [journey],
            authTime: max(now, Timestamp(seconds: old.authTime.seconds + 1)), created: old.created, lastUse: now)
        if !keepsOld { _ = end(old.token) }
        add(record)
        return record
    }

    private var newToken: String { isClientSide ? SSORecord.newClientSideToken() : SSORecord.newToken() }

    /// The number of a user's sessions.
    func count(of user: String) -> Int { table.withLock { $0.values.count { $0.user == user } } }

    private func add(_ record: SSORecord) {
        journal.note(secret: record.token)
        table.withLock { table in
            if table.isFull { table.removeAll { !isAlive($0, at: record.lastUse) } }
            table[record.token] = record
        }
    }

    /// The session of a token, if it is alive; the look-up counts as use unless it only looks.
    func find(_ token: String, now: Timestamp, looksOnly: Bool = false) -> SSORecord? {
        table.withLock { table in
            guard var record = table[token] else { return nil }
            guard isAlive(record, at: now) else {
                table[token] = nil
                return nil
            }
            if looksOnly { return record }
            record.lastUse = max(record.lastUse, now)
            table[token] = record
            return record
        }
    }

    /// True if a run's session is alive, and a request carries neither it nor the session that an upgrade made of it.
    func isMissing(_ own: String?, in carried: String?, now: Timestamp) -> Bool {
        guard let own, own != carried, let record = find(own, now: now, looksOnly: true) else { return false }
        return carried.flatMap { find($0, now: now, looksOnly: true) }?.id != record.id
    }

    /// The sessions that `find` would find; the look-up does not count as use.
    func alive(at now: Timestamp) -> [SSORecord] {
        table.withLock { $0.values }.filter { isAlive($0, at: now) }
    }

    private func isAlive(_ record: SSORecord, at now: Timestamp) -> Bool {
        now < record.lastUse + idle && now < record.created + lifetime
    }

    /// The end of a session by its idle timeout, and its latest end.
    func ends(_ record: SSORecord) -> (idle: Timestamp, latest: Timestamp) {
        (record.lastUse + idle, record.created + lifetime)
    }

    /// Ends a session at its owner's request, unless it is client-side; false if there was no session.
    func logOut(_ token: String, now: Timestamp) -> Bool {
        guard find(token, now: now) != nil else { return false }
        return isClientSide || end(token)
    }

    /// Ends a session; false if there was none.
    func end(_ token: String) -> Bool {
        table.withLock { $0.remove(token) != nil }
    }

    func end(id: String) {
        table.withLock { $0.removeAll { $0.id == id } }
    }

    /// Ends the sessions of one user; nil ends all sessions.
    func end(user: String?) {
        table.withLock { $0.removeAll { user == nil || $0.user == user } }
    }
}
