internal import EventLoop

/// The connections of one event thread to the nodes of a cluster; lives on this thread.
///
/// Each command goes to the node that has the slot of its keys. A node that does not have it does nothing and says which
/// one does, so the command may go there. A command whose answer was lost is not sent to another node: it may have been done.
final class ClusterRoute: CommandRoute {
    /// A command on its way.
    private struct Call {
        let call: CommandCall
        let slot: Int?
        /// The node that a move of the slot has named for this command alone.
        var target: Endpoint?
        /// How often a node has named another one.
        var redirects = 0
        /// How often it was to be tried again later.
        var delays = 0

        init(_ call: CommandCall) {
            self.call = call
            slot = call.slot ?? call.command.key.map { SlotMap.slot(of: $0) }
        }
    }

    private enum Search {
        case idle
        case waiting(TimerID)
        case asking(ClusterFinder)
    }

    /// The most redirections of one command.
    private static let redirects = 5
    /// The shortest time between two searches.
    private static let interval = Duration.milliseconds(500)

    private let cluster: RedisSettings.Cluster
    private let settings: RedisSettings
    private let limits: RedisStoreLimits
    private let events: EventThread
    private let report: WireReport
    private let source: WireReport.Source
    private let find: Link.Find
    private var map: SlotMap?
    private var channels: [Endpoint: CommandChannel] = [:]
    /// Connections to nodes without slots, until their last answers came.
    private var leaving: [ObjectIdentifier: CommandChannel] = [:]
    /// The nodes that got a command since the last search.
    private var used: Set<Endpoint> = []
    private var search = Search.idle
    private var lastSearch: ContinuousClock.Instant?
    private var failedSearches = 0
    private var backoff = Backoff()
    /// Commands that wait for the first answer of any node.
    private var waiting: [Call] = []
    private var waitTimer: TimerID?
    /// Commands that are sent again in a moment.
    private var delayed: [UInt64: (timer: TimerID, call: Call)] = [:]
    private var lastDelayed: UInt64 = 0
    private var isClosing = false

    init(
        _ cluster: RedisSettings.Cluster, _ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread,
        report: WireReport, find: @escaping Link.Find = { SocketAddress.find($0, $1, numeric: $2) }
    ) {
        self.cluster = cluster
        self.settings = settings
        self.limits = limits
        self.events = events
        self.report = report
        self.find = find
        source = report.source()
    }

    func start(_ loop: Loop) {
        seek(loop)
    }

    func moved(to primary: Endpoint, _ loop: Loop) {}

    func submit(_ calls: [CommandCall], _ loop: Loop) {
        route(calls.map { Call($0) }, loop)
    }

    // MARK: Commands

    private func route(_ calls: [Call], _ loop: Loop) {
        var groups: [(node: Endpoint, calls: [CommandCall])] = []
        for call in calls {
            guard !isClosing else {
                call.call.finish(.failure(.notSent), loop)
                continue
            }
            guard let map else {
                wait(call, loop)
                continue
            }
            guard let node = call.target ?? call.slot.map({ map.node(of: $0) }) ?? anyNode(map),
                channels[node] != nil || channels.count < SlotMap.most
            else {
                // No node has the slot.
                want(loop)
                call.call.finish(.failure(.notSent), loop)
                continue
            }
            let sent = call.call.sent(asking: call.target != nil) { [self] result, loop in
                settle(call, node, result, loop)
            }
            if let place = groups.firstIndex(where: { $0.node == node }) {
                groups[place].calls.append(sent)
            } else {
                groups.append((node, [sent]))
            }
        }
        for (node, calls) in groups { channel(node, loop).submit(calls, loop) }
    }

    /// The node for a command without a key: one whose connection works, if there is one.
    private func anyNode(_ map: SlotMap) -> Endpoint? {
        map.nodes.first { channels[$0]?.isOpen == true } ?? map.nodes.first
    }

    private func channel(_ node: Endpoint, _ loop: Loop) -> CommandChannel {
        used.insert(node)
        if let channel = channels[node] { return channel }
        var settings = settings
        settings.address = node.address
        let channel = CommandChannel(settings, limits, events: events, report: report, find: find)
        // The node may have been replaced.
        channel.lost = { [weak self] loop in self?.want(loop) }
        channels[node] = channel
        return channel
    }

    /// Takes the answer of a node, or that there is none.
    private func settle(
        _ call: Call, _ node: Endpoint, _ result: Result<RedisReply, RedisCommandError>, _ loop: Loop
    ) {
        guard !isClosing else { return call.call.finish(result, loop) }
        switch result {
        case .failure(.unknown):
            // What a node may have done goes to no other node.
            want(loop)
            call.call.finish(result, loop)
        case .failure(.notSent):
            want(loop)
            guard let slot = call.slot, let owner = map?.node(of: slot), owner != node, call.redirects < Self.redirects
            else { return call.call.finish(result, loop) }
            var again = call
            again.target = nil
            again.redirects += 1
            delay(again, .zero, loop)
        case .success(let reply): settle(call, node, reply, loop)
        }
    }

    private func settle(_ call: Call, _ node: Endpoint, _ reply: RedisReply, _ loop: Loop) {
        guard case .error(let line) = reply, let kind = reply.errorKind,
            ["MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN"].contains(kind)
        else { return call.call.finish(.success(reply), loop) }
        var again = call
        again.target = nil
        switch kind {
        case "TRYAGAIN":
            // Its keys are being moved one by one; the deadline bounds how often it is tried.
            again.delays += 1
            delay(again, .milliseconds(min(10 << min(call.delays, 4), 100)), loop)
        case "CLUSTERDOWN":
            want(loop)
            call.call.finish(.success(reply), loop)
        default:
            guard let redirect = Redirect(line, from: node), redirect.slot == call.slot,
                // rule: the redirections of a command have a bound
                call.redirects < Self.redirects
            else { return call.call.finish(.success(reply), loop) }
            again.redirects += 1
            if kind == "ASK" {
                again.target = redirect.endpoint
            } else {
                map?.move(redirect.slot, to: redirect.endpoint)
                want(loop)
            }
            // A node that names itself is asked once more after a while.
            delay(again, redirect.endpoint == node ? .milliseconds(50) : .zero, loop)
        }
    }

    /// Sends a command again in a later turn; not from within the connection that has just answered.
    private func delay(_ call: Call, _ pause: Duration, _ loop: Loop) {
        let due = ContinuousClock.now + pause
        // A wait beyond its deadline would be in vain.
        guard due < call.call.deadline else { return call.call.finish(.failure(.notSent), loop) }
        lastDelayed += 1
        let number = lastDelayed
        let timer = loop.schedule(at: due) { [weak self] loop in
            guard let self, let entry = delayed.removeValue(forKey: number) else { return }
            route([entry.call], loop)
        }
        delayed[number] = (timer, call)
    }

    // MARK: Commands without a map

    private func wait(_ call: Call, _ loop: Loop) {
        // In an outage of a cluster a command fails at once.
        guard failedSearches < 2, waiting.count < limits.pendingCommands else {
            return call.call.finish(.failure(.notSent), loop)
        }
        waiting.append(call)
        setWaitTimer(loop)
    }

    private func setWaitTimer(_ loop: Loop) {
        if let waitTimer { loop.cancel(waitTimer) }
        waitTimer = waiting.map(\.call.deadline).min().map { due in
            loop.schedule(at: due) { [weak self] loop in
                self?.waitTimer = nil
                self?.expire(loop)
            }
        }
    }

    private func expire(_ loop: Loop) {
        let now = ContinuousClock.now
        let late = waiting.filter { $0.call.deadline <= now }
        waiting.removeAll { $0.call.deadline <= now }
        for call in late { call.call.finish(.failure(.notSent), loop) }
        setWaitTimer(loop)
    }

    private func takeWaiting(_ loop: Loop) -> [Call] {
        defer {
            waiting = []
            setWaitTimer(loop)
        }
        return waiting
    }

    // MARK: The map

    /// Asks for the slots soon, unless it is being done.
    private func want(_ loop: Loop) {
        guard case .idle = search, !isClosing else { return }
        // rule: nodes are asked for their slots once in a while
        seek(loop, after: lastSearch.map { $0 + Self.interval - .now } ?? .zero)
    }

    private func seek(_ loop: Loop, after pause: Duration = .zero) {
        guard pause > .zero else { return ask(loop) }
        search = .waiting(
            loop.schedule(at: .now + pause) { [weak self] loop in
                self?.ask(loop)
            })
    }

    private func ask(_ loop: Loop) {
        guard !isClosing else { return }
        lastSearch = .now
        let finder = ClusterFinder(cluster, settings, known: map?.nodes ?? []) { [weak self] result, loop in
            self?.found(result, loop)
        }
        search = .asking(finder)
        finder.start(loop) { [settings, events, find] endpoint, user in
            Link(endpoint, settings, events: events, user: user, find: find)
        }
    }

    private func found(_ result: Result<ClusterView, WireError>, _ loop: Loop) {
        search = .idle
        switch result {
        case .success(let view):
            failedSearches = 0
            backoff.reset()
            map = view.map
            report.opened(source)
            prune(view.map, loop)
            for node in view.map.nodes { channel(node, loop).start(loop) }
            used = []
            route(takeWaiting(loop), loop)
        case .failure(let failure):
            failedSearches += 1
            report.ended(failure, source)
            if failedSearches >= 2 {
                for call in takeWaiting(loop) { call.call.finish(.failure(.notSent), loop) }
            }
            seek(loop, after: backoff.next())
        }
    }

    /// Gives up connections to nodes that have no slots any more and that no slot is being moved to.
    private func prune(_ map: SlotMap, _ loop: Loop) {
        for (node, channel) in channels where !map.nodes.contains(node) && !used.contains(node) {
            channels[node] = nil
            leaving[ObjectIdentifier(channel)] = channel
            report.opened(channel.source)
            // What waits for a node that is gone may go to its successor.
            channel.close(loop, atOnce: !channel.isOpen) { [weak self, weak channel] in
                if let channel { self?.leaving[ObjectIdentifier(channel)] = nil }
            }
        }
    }

    // MARK: The end

    func close(_ loop: Loop, atOnce: Bool, _ done: @escaping () -> Void) {
        isClosing = true
        switch search {
        case .idle: break
        case .waiting(let timer): loop.cancel(timer)
        case .asking(let finder): finder.end(loop)
        }
        search = .idle
        let calls = takeWaiting(loop) + delayed.values.map(\.call)
        for entry in delayed.values { loop.cancel(entry.timer) }
        delayed = [:]
        for call in calls { call.call.finish(.failure(.notSent), loop) }
        let all = Array(channels.values) + leaving.values
        var open = all.count
        guard open > 0 else { return done() }
        for channel in all {
            channel.close(loop, atOnce: atOnce) {
                open -= 1
                if open == 0 { done() }
            }
        }
    }
}
