import Basics
import Logs

/// Counts events that one caller may cause as often as it likes, so that they do not fill the log.
///
/// The first event is written at once; the events of the next minute become one line with their number. The number of
/// sources is bounded too: beyond the bound their events are counted together, so that many addresses cannot fill the
/// log either.
final class AuditCounts: Sendable {
    private struct Kind: Hashable {
        let event: String
        let reason: String
        let source: String
    }

    private struct Entry {
        let event: AuditEvent
        var writtenAt: Timestamp
        var count = 0
        /// The members of the latest event.
        var members: Logger.Metadata
    }

    /// The time for which events of one kind are counted before a line.
    static let pause = Duration.seconds(60)
    /// The number of kinds that are counted apart at a time.
    static let bound = 256
    /// The members that identify the caller; they are left out where many sources are counted together.
    private static let personal = ["address", "session", "user", "account", "client", "name", "flow", "request.id"]

    private let entries = Locked<[Kind: Entry]>([:])
    private let time: any TimeSource

    init(_ time: any TimeSource) {
        self.time = time
    }

    /// Counts an event.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - members: The members of its line.
    ///   - source: The caller that caused it.
    /// - Returns: The members of the line, with the number of events since the line before; nil while no line is due.
    func count(_ event: AuditEvent, _ members: Logger.Metadata, source: String) -> Logger.Metadata? {
        let now = time.now()
        let words = event.words
        var kind = Kind(
            event: words.event + " " + words.outcome, reason: members["reason"]?.description ?? "", source: source)
        return entries.withLock { entries in
            var members = members
            if entries[kind] == nil, entries.count >= Self.bound {
                entries = entries.filter { !Self.isOver($0.value, at: now) || $0.value.count > 0 }
                if entries.count >= Self.bound {
                    kind = Kind(event: kind.event, reason: kind.reason, source: "*")
                    for name in Self.personal { members[name] = nil }
                }
            }
            var entry = entries[kind] ?? Entry(event: event, writtenAt: .init(milliseconds: .min), members: members)
            entry.count += 1
            entry.members = members
            defer { entries[kind] = entry }
            return Self.isOver(entry, at: now) ? Self.tell(&entry, at: now) : nil
        }
    }

    /// The lines of events that were counted for a minute without a line; of all counted events if `isLast`.
    func due(isLast: Bool) -> [(event: AuditEvent, members: Logger.Metadata)] {
        let now = time.now()
        return entries.withLock { entries in
            var due: [(AuditEvent, Logger.Metadata)] = []
            for (kind, var entry) in entries where isLast || Self.isOver(entry, at: now) {
                guard entry.count > 0 else {
                    entries[kind] = nil
                    continue
                }
                due.append((entry.event, Self.tell(&entry, at: now)))
                entries[kind] = entry
            }
            return due
        }
    }

    private static func tell(_ entry: inout Entry, at now: Timestamp) -> Logger.Metadata {
        var members = entry.members
        members["count"] = .stringConvertible(entry.count)
        entry.writtenAt = now
        entry.count = 0
        return members
    }

    /// True if a line is due; a clock that was set back must not silence a kind for ever.
    private static func isOver(_ entry: Entry, at now: Timestamp) -> Bool {
        now < entry.writtenAt || now >= entry.writtenAt + pause
    }
}
