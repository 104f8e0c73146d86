import Basics
import Sessions

/// Counts step-ups that did not help, so that a server and an API that disagree do not send the user round in a loop.
///
/// An attempt is an offer, a step-up, and the same offer again; a call that passes forgets the attempts. The record
/// also holds the results of completed step-ups for their routes, because every call reads this record anyway.
struct StepUpAttempts: Sendable, Equatable {
    static let field = "guard"
    private static let window = Duration.seconds(600)
    private static let attempts = 2
    private static let capacity = 32

    private struct Entry: Sendable, Equatable {
        var key: String
        var since: Timestamp
        /// The epoch of the tokens of the client that steps up, at the last offer; it grows with each completed step-up.
        var epoch: UInt64
        var count: UInt64
    }

    private var entries: [Entry] = []
    private var routes: [RaisedRoute] = []

    init() {}

    var isEmpty: Bool { entries.isEmpty && routes.isEmpty }

    private static func prefix(_ route: String, _ account: String) -> String { "\(account)\n\(route)\n" }

    /// True if a route has attempts or a valid transaction, so that `pass` has something to forget.
    func hasAttempts(_ route: String, account: String, at now: Timestamp) -> Bool {
        guard !entries.isEmpty || !routes.isEmpty else { return false }
        return entries.contains { $0.key.hasPrefix(Self.prefix(route, account)) }
            || routes.contains { $0.isOf(route, account) && $0.transaction.map { now < $0.until } ?? false }
    }

    /// Records the offer of a step-up for a call.
    ///
    /// For a call that an API refused, it also forgets the transaction that the call carried, because that did not
    /// help.
    ///
    /// - Returns: True if the offer may be made; false after two attempts in ten minutes.
    mutating func offer(_ call: RouteCall, _ requirement: String, epoch: UInt64, at now: Timestamp) -> Bool {
        spend(call.route, account: call.account, target: call.target)
        let key = Self.prefix(call.route, call.account) + requirement
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
        // rule: step-ups are offered a few times | true
        return entries[index].count < Self.attempts
    }

    /// Forgets the attempts of a route whose call passed, and the transaction that the call carried.
    ///
    /// - Returns: True if there was something to forget.
    mutating func pass(_ route: String, account: String, target: String) -> Bool {
        let before = self
        entries.removeAll { $0.key.hasPrefix(Self.prefix(route, account)) }
        spend(route, account: account, target: target)
        return self != before
    }

    // MARK: Raised routes

    /// The result of the last step-up for a route's API, without its transaction once that has expired; nil for none.
    func raised(_ route: String, account: String, at now: Timestamp) -> RaisedRoute? {
        guard !routes.isEmpty, var raised = routes.first(where: { $0.isOf(route, account) }) else { return nil }
        // rule: a transaction that was authorized has its time
        if let transaction = raised.transaction, now >= transaction.until { raised.transaction = nil }
        return raised
    }

    /// Records the result of a completed step-up for its route; without a new token the route keeps its client.
    ///
    /// A step-up without a token does not change the session's epoch, so it is counted as an attempt here.
    private mutating func raise(_ raised: RaisedRoute) {
        var raised = raised
        if raised.client == nil {
            raised.client = routes.first { $0.isOf(raised.route, raised.account) }?.client
            let prefix = Self.prefix(raised.route, raised.account)
            for index in entries.indices where entries[index].key.hasPrefix(prefix) { entries[index].count += 1 }
        }
        routes.removeAll { $0.isOf(raised.route, raised.account) }
        if routes.count >= Self.capacity { routes.removeFirst() }
        routes.append(raised)
    }

    /// A copy that also holds the result of a completed step-up.
    func raising(_ raised: RaisedRoute) -> StepUpAttempts {
        var copy = self
        copy.raise(raised)
        return copy
    }

    /// Forgets the transaction of a call, because a transaction is valid for one call.
    private mutating func spend(_ route: String, account: String, target: String?) {
        guard let target,
            let index = routes.firstIndex(where: { $0.isOf(route, account) && $0.transaction?.isFor(target) == true })
        else { return }
        // rule: a transaction is used once
        routes[index].transaction = nil
        if routes[index].client == nil { routes.remove(at: index) }
    }
}

extension RaisedRoute {
    fileprivate func isOf(_ route: String, _ account: String) -> Bool {
        self.route == route && self.account == account
    }
}

extension StepUpAttempts: RecordCodable {
    static let version: UInt8 = 3

    func write(into writer: inout RecordWriter) {
        writer.write(entries) { writer, entry in
            writer.write(entry.key)
            writer.write(entry.since)
            writer.write(entry.epoch)
            writer.write(entry.count)
        }
        writer.write(routes) { writer, raised in raised.write(into: &writer) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        entries = try reader.list { reader throws(RecordError) in
            Entry(
                key: try reader.string(), since: try reader.timestamp(), epoch: try reader.unsigned(),
                count: try reader.unsigned())
        }
        routes = try reader.list { reader throws(RecordError) in try RaisedRoute(&reader) }
    }
}

extension OpenedSession {
    /// The counted attempts; none when the record was not read.
    var stepUpAttempts: StepUpAttempts { decoded(StepUpAttempts.field) ?? StepUpAttempts() }
}
