import Basics
import StorageKit

/// What the store was told, as far as rules ask for it.
final class StoreJournal {
    /// Every session that was ever written, in the order of the first writes.
    private(set) var sessions: [SessionKey] = []
    private var known: Set<SessionKey> = []
    private var ends: [SessionKey: Duration] = [:]
    /// When the ends were answered.
    private var heardEnds: [SessionKey: Duration] = [:]
    private var deletions: [SessionKey: [String: Duration]] = [:]
    private var failures: [Int: Duration] = [:]
    /// The keys under which the index had something at some time.
    private var rows: Set<[UInt8]> = []
    /// The sessions that were ended without their cookies.
    private var remoteEnds: Set<SessionKey> = []

    func committed(_ session: SessionKey, _ commit: SessionCommit, in world: World) {
        if commit.mode == .create {
            world.record.count(.check, "a session that is begun")
            // One that holds nothing keeps a late writer from beginning it, and ends at once.
            if wasEnded(session), !commit.writes.isEmpty { world.fail(.revived, "\(session) has ended, and is there") }
        }
        if known.insert(session).inserted { sessions.append(session) }
        for write in commit.writes {
            if case .delete = write.change { deletions[session, default: [:]][write.field] = world.now }
        }
    }

    /// A session was ended; whoever does that must know of every sign-in that it holds.
    func ended(
        _ session: SessionKey, _ commit: SessionCommit, holding fields: [String], by machine: Int, in world: World
    ) {
        ends[session] = world.now
        for field in fields { deletions[session, default: [:]][field] = world.now }
        guard !Self.isRemote(commit) else {
            world.record.count(.check, "a session that is ended without its cookie")
            remoteEnds.insert(session)
            return
        }
        let seen = Set(commit.writes.map(\.field))
        let signIns = fields.filter { ($0.hasPrefix("token/") || $0.hasPrefix("session/")) && !seen.contains($0) }
        world.record.count(.check, "a session that is ended")
        guard !signIns.isEmpty else { return }
        world.fail(.destroyedSignedIn, "m\(machine) ends \(session), which holds \(signIns.sorted())")
    }

    /// Whether a commit ends a session for somebody who does not have its cookie: it names the table of contents, so that
    /// whatever was stored meanwhile refuses it, and has judged every sign-in by the list.
    private static func isRemote(_ commit: SessionCommit) -> Bool {
        guard commit.writes.count == 1, let write = commit.writes.first, write.field == "meta" else { return false }
        if case .revision = write.expected { return true }
        return false
    }

    /// Whether a session was ended by somebody without its cookie.
    func wasEndedRemotely(_ session: SessionKey) -> Bool { remoteEnds.contains(session) }

    /// The index has got an entry under a key.
    func indexed(_ key: [UInt8]) { rows.insert(key) }

    func isIndexed(_ key: [UInt8]) -> Bool { rows.contains(key) }

    /// A call of a machine had no answer.
    func failed(_ machine: Int, at now: Duration) { failures[machine] = now }

    /// When a call of a machine had no answer last; nil for never.
    func lastFailure(of machine: Int) -> Duration? { failures[machine] }

    /// Whether a call of a machine had no answer since then.
    func hasFailed(_ machine: Int, since instant: Duration) -> Bool { (failures[machine] ?? .seconds(-1)) >= instant }

    /// Whether a session was ended by somebody, not by its time.
    func wasEnded(_ session: SessionKey) -> Bool { ends[session] != nil }

    /// The store has forgotten what was written since an instant.
    func forget(since instant: Duration) {
        ends = ends.filter { $0.value <= instant }
        heardEnds = heardEnds.filter { ends[$0.key] != nil }
        remoteEnds = remoteEnds.filter { ends[$0] != nil }
        deletions = deletions.mapValues { fields in fields.filter { $0.value <= instant } }
    }

    /// The machine that ended a session has the store's answer.
    func heardOfEnd(_ session: SessionKey, in world: World) { heardEnds[session] = world.now }

    /// When the machine that ended a session knew of it; without an answer of the store, when that did it, and nil for a
    /// session that was not ended.
    func knownEnd(of session: SessionKey) -> Duration? { heardEnds[session] ?? ends[session] }

    /// Whether a cookie of a session was ended since then, by a logout or a change taken back.
    func hasLostTicket(_ session: SessionKey, since instant: Duration) -> Bool {
        deletions[session]?.contains { SessionCredential.isTicket($0.key) && $0.value >= instant } ?? false
    }

    /// When a field was deleted last; nil for never.
    func deletion(of field: String, in session: SessionKey) -> Duration? { deletions[session]?[field] }

    /// Whether a field was deleted since then.
    func wasDeleted(_ field: String, of session: SessionKey, since instant: Duration) -> Bool {
        (deletion(of: field, in: session) ?? .seconds(-1)) >= instant
    }
}
