import Basics

/// Counts the rounds in which a step-up did not help, so that a server and a resource server that disagree do not send
/// a user round for ever.
///
/// A round is a step-up after an offer that is followed by the same offer again; a call that passes forgets them.
struct LoopGuard: Sendable, Equatable {
    static let field = "guard"
    private static let window = Duration.seconds(600)
    private static let rounds = 2
    private static let capacity = 32

    private struct Entry: Sendable, Equatable {
        var key: String
        var since: Timestamp
        /// The epoch of the session at the last offer: it grows with each completed step-up.
        var epoch: UInt64
        var count: UInt64
    }

    private var entries: [Entry] = []

    init() {}

    var isEmpty: Bool { entries.isEmpty }

    static func key(_ route: String, _ requirement: String, account: String) -> String {
        prefix(route, account) + requirement
    }

    private static func prefix(_ route: String, _ account: String) -> String { "\(account)\n\(route)\n" }

    /// Whether anything is counted for a route.
    func hasRounds(_ route: String, account: String) -> Bool {
        !entries.isEmpty && entries.contains { $0.key.hasPrefix(Self.prefix(route, account)) }
    }

    /// Notes an offer.
    ///
    /// - Returns: Whether it may be made; false after two rounds in ten minutes.
    mutating func offer(_ key: String, epoch: UInt64, at now: Timestamp) -> Bool {
        entries.removeAll { now - $0.since >= Self.window }
        guard let index = entries.firstIndex(where: { $0.key == key }) else {
            if entries.count >= Self.capacity { entries.removeFirst() }
            entries.append(Entry(key: key, since: now, epoch: epoch, count: 0))
            return true
        }
        if epoch > entries[index].epoch {
            entries[index].epoch = epoch
            entries[index].count += 1
        }
        return entries[index].count < Self.rounds
    }

    /// Forgets the rounds of a route that passed.
    ///
    /// - Returns: Whether there were any.
    mutating func pass(_ route: String, account: String) -> Bool {
        let before = entries.count
        entries.removeAll { $0.key.hasPrefix(Self.prefix(route, account)) }
        return entries.count < before
    }
}

extension LoopGuard {
    var encoded: [UInt8] {
        var writer = RecordWriter(version: 1)
        writer.write(entries) { writer, entry in
            writer.write(entry.key)
            writer.write(entry.since)
            writer.write(entry.epoch)
            writer.write(entry.count)
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 1)
        entries = try reader.list { reader throws(RecordReader.Malformed) in
            Entry(
                key: try reader.string(), since: try reader.timestamp(), epoch: try reader.unsigned(),
                count: try reader.unsigned())
        }
        try reader.end()
    }
}
