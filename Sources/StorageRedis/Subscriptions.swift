internal import EventLoop
internal import StorageKit

/// The connection that receives change messages; lives on the event thread.
///
/// In a cluster it goes to any node, because `PUBLISH` of one node reaches the subscribers of all. Sharded channels would need a
/// connection to every node and a new subscription whenever a slot moves. They would save the nodes the copies of a message,
/// which is small; and they would be heard more surely while the connections between nodes are broken. But nothing relies on a
/// message: whoever waits for one looks again once a second.
///
/// Messages that are published while it is broken are lost, so each subject is reported once it is heard again.
final class Subscriptions: WireUser {
    typealias Finish = @Sendable (Result<Void, StoreError>) -> Void

    private struct Channel {
        let subject: StoreSubject
        var isHeard = false
        /// True if messages may have been lost.
        var isStale = false
        var waiters: [UInt64: Finish] = [:]
    }

    /// How often the server is asked for a sign of life.
    private static let pingInterval = Duration.seconds(5)

    private let wire: Wire
    private let hub: ChangeHub
    private let keys: KeyNames
    private let report: WireReport
    private let source: WireReport.Source
    private let timeout: Duration
    private let limit: Int
    private var channels: [[UInt8]: Channel] = [:]
    /// Confirmations that are due for subscriptions given up since.
    private var outdated: [[UInt8]: Int] = [:]
    private var output: [UInt8] = []
    private var lastWaiter: UInt64 = 0
    private var ping: TimerID?
    private var isAnswered = true
    private var isClosed = false

    init(
        _ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, hub: ChangeHub, keys: KeyNames,
        report: WireReport
    ) {
        wire = Wire(settings, scripts: [], events: events)
        self.hub = hub
        self.keys = keys
        self.report = report
        source = report.source()
        timeout = settings.commandTimeout
        limit = limits.subjects
        wire.user = self
    }

    /// Listens to a subject; calls back once the server sends its messages.
    func listen(to subject: StoreSubject, _ loop: Loop, _ finish: @escaping Finish) {
        let name = keys.channel(subject)
        // rule: the subjects that are listened to have a bound
        guard !isClosed, channels[name] != nil || channels.count < limit else { return finish(.failure(.unavailable)) }
        // rule: in an outage a subscription fails at once
        guard !wire.isOut else { return finish(.failure(.unavailable)) }
        if channels[name]?.isHeard == true { return finish(.success(())) }
        lastWaiter += 1
        let waiter = lastWaiter
        let isNew = channels[name] == nil
        channels[name, default: Channel(subject: subject)].waiters[waiter] = finish
        _ = loop.schedule(at: .now + timeout) { [weak self] _ in
            self?.channels[name]?.waiters.removeValue(forKey: waiter)?(.failure(.unavailable))
        }
        if isNew, wire.isOpen { output += RedisCommand("SUBSCRIBE", arguments: [name]).encoded([:]) }
        wire.start(loop)
        wire.flush(loop)
    }

    /// Stops listening to a subject that has no subscriber.
    func unlisten(_ subject: StoreSubject, _ loop: Loop) {
        let name = keys.channel(subject)
        guard !hub.isHeard(subject), let channel = channels[name], channel.waiters.isEmpty else { return }
        channels[name] = nil
        guard wire.isOpen else { return }
        if !channel.isHeard { outdated[name, default: 0] += 1 }
        output += RedisCommand("UNSUBSCRIBE", arguments: [name]).encoded([:])
        wire.flush(loop)
    }

    /// Another server has become the primary.
    func moved(to primary: Endpoint, _ loop: Loop) {
        wire.moved(to: primary, loop)
    }

    /// Ends the connection and fails what waits.
    func close(_ loop: Loop) {
        isClosed = true
        if let ping { loop.cancel(ping) }
        ping = nil
        wire.close(loop)
        let all = channels
        channels = [:]
        for waiter in all.values.flatMap(\.waiters.values) { waiter(.failure(.unavailable)) }
    }

    // MARK: The connection

    func opened(_ loop: Loop) {
        // Subjects of which the last subscriber went while there was no connection.
        for (name, channel) in channels where channel.waiters.isEmpty && !hub.isHeard(channel.subject) {
            channels[name] = nil
        }
        for name in channels.keys { output += RedisCommand("SUBSCRIBE", arguments: [name]).encoded([:]) }
        isAnswered = true
        schedulePing(loop)
    }

    func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8] {
        defer { output = [] }
        return output
    }

    func received(_ reply: RedisReply, _ loop: Loop) throws(WireError) {
        isAnswered = true
        if let kind = reply.errorKind { throw .refused(kind) }
        // Before the first subscription, and after the last, the answer to PING is that of any connection.
        if reply == .status("PONG") {
            // With subjects, only their confirmation shows that the connection does its work.
            if channels.isEmpty { noteWorking() }
            return
        }
        guard case .array(let parts) = reply, parts.count >= 2, let kind = parts[0].bytes, let name = parts[1].bytes
        else {
            throw .malformed
        }
        switch String(decoding: kind, as: UTF8.self) {
        case "message":
            if let channel = channels[name] { hub.send(channel.subject) }
        case "subscribe":
            noteWorking()
            confirm(name)
        case "unsubscribe", "pong": break
        default: throw .malformed
        }
    }

    private func noteWorking() {
        guard !wire.isWorking else { return }
        wire.noteWorking()
        report.opened(source)
    }

    private func confirm(_ name: [UInt8]) {
        if let count = outdated[name] {
            outdated[name] = count > 1 ? count - 1 : nil
            return
        }
        guard var channel = channels[name] else { return }
        let waiters = channel.waiters.values
        channel.waiters = [:]
        channel.isHeard = true
        let isStale = channel.isStale
        channel.isStale = false
        channels[name] = channel
        if isStale { hub.send(channel.subject) }
        for waiter in waiters { waiter(.success(())) }
    }

    func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop) {
        if let ping { loop.cancel(ping) }
        ping = nil
        output = []
        outdated = [:]
        if let failure { report.ended(failure, source) }
        for name in channels.keys {
            if channels[name]?.isHeard == true { channels[name]?.isStale = true }
            channels[name]?.isHeard = false
        }
        // rule: a subscription does not wait for a server that refuses it
        if let failure, failure.isRefusal || wire.isOut { failWaiters() }
    }

    private func failWaiters() {
        var waiters: [Finish] = []
        for (name, channel) in channels where !channel.waiters.isEmpty {
            waiters += channel.waiters.values
            channels[name]?.waiters = [:]
        }
        for waiter in waiters { waiter(.failure(.unavailable)) }
    }

    private func schedulePing(_ loop: Loop) {
        ping = loop.schedule(at: .now + Self.pingInterval) { [weak self] loop in self?.checkLife(loop) }
    }

    private func checkLife(_ loop: Loop) {
        ping = nil
        // rule: a connection for messages gives signs of life
        guard isAnswered else { return wire.end(.silent, loop) }
        isAnswered = false
        output += RedisCommand("PING").encoded([:])
        wire.flush(loop)
        if wire.isOpen { schedulePing(loop) }
    }
}
