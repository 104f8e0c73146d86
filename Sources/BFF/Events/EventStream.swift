import Basics
import Sessions
import StorageKit

/// One event stream of a browser session, from its opening to its end.
///
/// It reads the session under the ticket that opened it, at each change message of the session and from time to time,
/// and tells the differences. Between two looks it holds no thread.
package final class EventStream: Sendable {
    /// The field with the id of the session's newest stream.
    static let field = "events"

    private let environment: Environment
    private let records: SessionRecords
    private let session: OpenedSession
    private let id: [UInt8]
    private let mark: EventMark?

    init(_ session: OpenedSession, id: [UInt8], mark: EventMark?, _ records: SessionRecords) {
        environment = records.environment
        self.records = records
        self.session = session
        self.id = id
        self.mark = mark
    }

    /// The result of one look at the session.
    private enum Look {
        case view(SessionView)
        case ends(StreamEnd)
        /// The session does not exist any more.
        case gone
    }

    /// Sends the events of the session until it ends, the stream has lived its time, or the server stops.
    ///
    /// - Parameter send: Sends events, with the id of the last one; the next ones follow when it has returned, so that
    ///   nothing is kept for a client that is slow.
    /// - Throws: The error of `send`.
    package func run(_ send: ([SessionEvent], _ id: String?) async throws -> Void) async throws {
        // The subscription comes before the first look, so that no change falls in between.
        let wait = await environment.eventWaits.begin(on: .session(session.key))
        defer { wait.end() }
        let streams = environment.work.events
        let number = streams.begin(wait.waker)
        defer { streams.end(number) }
        let settings = environment.settings
        let end = ContinuousClock.now + settings.eventLife
        var beat = ContinuousClock.now + settings.eventBeat
        var watch: EventWatch?
        while !Task.isCancelled {
            // rule: a stop ends the streams
            if streams.isDraining { return try await send([.end(.stopping)], nil) }
            // rule: a stream lives for some minutes
            if ContinuousClock.now >= end { return try await send([.end(.time)], nil) }
            var pause = settings.eventPause
            do {
                let events = take(try await look(), &watch)
                if case .end(let reason) = events.last { return try await send(events, reason.eventID) }
                if !events.isEmpty {
                    try await send(events, watch?.mark.text)
                    beat = .now + settings.eventBeat
                }
            } catch let error as BFFError where error != .cancelled {
                // An outage is not the end of the session.
                pause = settings.eventOutagePause
            }
            if ContinuousClock.now >= beat {
                try await send([.beat], nil)
                beat = .now + settings.eventBeat
            }
            let now = environment.now()
            let due = watch?.nextDue(after: now).map { ContinuousClock.now + ($0 - now) } ?? end
            let earliest = ContinuousClock.now + pause
            _ = await wait.wake(until: max(earliest, min(end, beat, due)))
            // rule: a stream looks at the store no more often than some times a second
            while !Task.isCancelled, !streams.isDraining, ContinuousClock.now < earliest {
                _ = await wait.wake(until: earliest)
            }
        }
    }

    /// The events that follow from a look.
    private func take(_ look: Look, _ watch: inout EventWatch?) -> [SessionEvent] {
        let now = environment.now()
        switch look {
        case .ends(let reason): return [.end(reason)]
        case .gone: return watch?.over(at: now) ?? [.end(.signedOut(.ended))]
        case .view(let view):
            if let events = watch?.follow(view, at: now) { return events }
            var events: [SessionEvent] = []
            watch = EventWatch(view, since: mark, candidates: candidates(view), at: now, &events)
            return events
        }
    }

    /// The instances that a client may have seen signed in: each client for the default account and for the accounts
    /// that are signed in.
    private func candidates(_ view: SessionView) -> [InstanceName] {
        let accounts = Set([""] + view.signIns.map(\.instance.account)).sorted()
        return environment.clientsInOrder.flatMap { client in
            accounts.map { InstanceName(client: client.name, account: $0) }
        }
    }

    /// Looks at the session under the ticket that opened the stream.
    private func look() async throws(BFFError) -> Look {
        let credential = session.credential
        let names = [credential.ticketField, MetaRecord.field, Self.field]
        guard let fresh = try await records.open(credential, .names(names)) else {
            return try await records.isGone(session.key) ? .gone : .ends(.sessionChanged)
        }
        let now = environment.now()
        // rule: a stream ends with its cookie, before it tells anything that came after
        guard fresh.claims.status(at: now) == .current else { return .ends(.sessionChanged) }
        // rule: a stream from before the device was bound tells nothing after it
        guard fresh.claims.isBound == session.claims.isBound else { return .ends(.sessionChanged) }
        // rule: a session has one stream
        if let newest = fresh.record(Self.field), newest != id { return .ends(.replaced) }
        let limited = fresh.meta?.tokens.filter { environment.clients[$0.client]?.limits.idle != nil } ?? []
        let users = limited.isEmpty ? nil : try await records.read(limited.map(\.userField), of: fresh)
        return .view(SessionView(fresh, users: users, environment, at: now))
    }
}
