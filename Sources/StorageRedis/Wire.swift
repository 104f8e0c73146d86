internal import EventLoop

/// The side of a connection that says what is sent and takes what comes.
protocol WireUser: AnyObject {
    /// The connection is made and the server has accepted the greeting.
    func opened(_ loop: Loop)
    /// Bytes to send, about as many; empty if there are none.
    func output(atLeast count: Int, _ digests: [Script: [UInt8]]) -> [UInt8]
    /// Takes a reply.
    ///
    /// - Throws: Why the connection cannot go on.
    func received(_ reply: RedisReply, _ loop: Loop) throws(WireError)
    /// The connection ended or was not made.
    ///
    /// - Parameters:
    ///   - unwritten: Bytes of the output that the system did not take.
    ///   - failure: Why; nil if it was closed by us.
    ///   - loop: The loop of the event thread.
    func ended(unwritten: Int, _ failure: WireError?, _ loop: Loop)
}

/// A search for the server of a connection, which can be ended.
protocol Finder: AnyObject {
    /// Ends the search; its owner hears of no result.
    func end(_ loop: Loop)
}

/// One connection to the server, made again whenever it ends, until it is closed; lives on the event thread.
///
/// Each connection has a link and a greeting of its own, so nothing that an earlier one left reaches a later one.
final class Wire {
    private enum State {
        case idle
        case waiting(TimerID)
        case finding(any Finder)
        case linking(Link)
        case greeting(Link, Greeting)
        case open(Link)
        case closed
    }

    weak var user: (any WireUser)?
    private let settings: RedisSettings
    private let scripts: [Script]
    private let events: EventThread
    private let find: Link.Find
    private var state = State.idle
    private var digests: [Script: [UInt8]] = [:]
    private var connectTimer: TimerID?
    /// The address that failed last; the next attempt begins after it.
    private var failed: SocketAddress?
    /// The server of the connection, and the one that turned out to be no primary.
    private var endpoint: Endpoint?
    private var noPrimary: Endpoint?
    /// The server of the last connection that ended.
    private var failedNode: Endpoint?
    private var backoff = Backoff()
    private var failedAttempts = 0
    /// True once the connection has brought a good answer to its user.
    private(set) var isWorking = false

    init(
        _ settings: RedisSettings, scripts: [Script], events: EventThread,
        find: @escaping Link.Find = { SocketAddress.find($0, $1, numeric: $2) }
    ) {
        self.settings = settings
        self.scripts = scripts
        self.events = events
        self.find = find
    }

    /// True from the second failed attempt in a row until a connection is open.
    ///
    /// Waiting for one would cost each caller its whole time.
    var isOut: Bool { failedAttempts >= 2 && !isOpen }

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }

    private var link: Link? {
        switch state {
        case .linking(let link), .greeting(let link, _), .open(let link): link
        case .idle, .waiting, .finding, .closed: nil
        }
    }

    /// Notes a good answer, so that the next loss is a first one again.
    ///
    /// A greeting does not count: a server may accept it and refuse all that follows.
    func noteWorking() {
        isWorking = true
        failedAttempts = 0
        backoff.reset()
    }

    // MARK: Connecting

    /// Begins to connect, unless it has begun.
    func start(_ loop: Loop) {
        guard case .idle = state else { return }
        connect(loop)
    }

    private func connect(_ loop: Loop) {
        connectTimer = loop.schedule(at: .now + settings.connectTimeout) { [weak self] loop in
            self?.connectTimer = nil
            self?.end(self?.lateness ?? .connectTimeout, loop)
        }
        switch settings.address {
        case .tcp(let host, let port): link(to: .tcp(host: host, port: port), loop)
        case .socket(let path): link(to: .socket(path: path), loop)
        case .cluster(let cluster):
            let finder = ClusterFinder(cluster, settings) { [weak self] result, loop in
                self?.found(result, loop)
            }
            state = .finding(finder)
            finder.start(loop) { [settings, events, find] endpoint, user in
                Link(endpoint, settings, events: events, user: user, find: find)
            }
        case .sentinels(let sentinels):
            let finder = PrimaryFinder(sentinels, settings, avoiding: noPrimary) { [weak self] result, loop in
                switch result {
                case .success(let endpoint): self?.link(to: endpoint, loop)
                case .failure(let failure): self?.end(failure, loop)
                }
            }
            state = .finding(finder)
            finder.start(loop) { [settings, events, find] endpoint, user in
                Link(endpoint, settings, events: events, user: user, find: find)
            }
        }
    }

    /// Takes a node of a cluster, another one than that which failed last.
    private func found(_ result: Result<ClusterView, WireError>, _ loop: Loop) {
        switch result {
        case .failure(let failure): end(failure, loop)
        case .success(let view):
            let others = view.map.nodes.filter { $0 != failedNode }
            guard let node = others.randomElement() ?? view.map.nodes.first else {
                return end(.refused("CLUSTERDOWN"), loop)
            }
            link(to: node, loop)
        }
    }

    /// The cause if the connection takes too long now.
    private var lateness: WireError {
        if case .finding = state {
            if case .cluster = settings.address { return .cluster(.connectTimeout) }
            return .sentinels(.connectTimeout)
        }
        return link?.isSecuring == true ? .silentInHandshake : .connectTimeout
    }

    private func link(to endpoint: Endpoint, _ loop: Loop) {
        let link = Link(endpoint, settings, events: events, user: self, find: find)
        self.endpoint = endpoint
        state = .linking(link)
        link.start(loop, after: failed)
    }

    /// Gives up a connection to another server than the new primary.
    func moved(to primary: Endpoint, _ loop: Loop) {
        // rule: a fail-over ends the connection to the old primary
        guard let endpoint, endpoint != primary, link != nil else { return }
        noPrimary = endpoint
        end(.moved, loop)
    }

    /// Sends as much as the system takes.
    func flush(_ loop: Loop) {
        if case .open(let link) = state { link.flush(loop) }
    }

    // MARK: Ends

    /// Ends the connection; the next one is made after a pause.
    func end(_ failure: WireError, _ loop: Loop) {
        if case .closed = state { return }
        let current = link?.address
        let unwritten = release(loop)
        if !isWorking || failure.isOfReplica { failed = current ?? failed }
        if failure.isOfReplica { noPrimary = endpoint }
        failedNode = endpoint
        endpoint = nil
        failedAttempts = isWorking ? 0 : failedAttempts + 1
        isWorking = false
        let timer = loop.schedule(at: .now + backoff.next()) { [weak self] loop in self?.connect(loop) }
        state = .waiting(timer)
        user?.ended(unwritten: unwritten, failure, loop)
    }

    /// Ends the connection for good.
    func close(_ loop: Loop) {
        if case .closed = state { return }
        if case .waiting(let timer) = state { loop.cancel(timer) }
        let unwritten = release(loop)
        state = .closed
        user?.ended(unwritten: unwritten, nil, loop)
    }

    /// Frees all that belongs to one connection; returns the bytes of the output that the system did not take.
    private func release(_ loop: Loop) -> Int {
        if let connectTimer { loop.cancel(connectTimer) }
        connectTimer = nil
        if case .finding(let finder) = state { finder.end(loop) }
        guard let link else { return 0 }
        let unwritten = link.end(loop)
        guard case .open = state else { return 0 }
        return unwritten
    }
}

extension Wire: LinkUser {
    func linked(_ link: Link, _ loop: Loop) {
        guard case .linking(let current) = state, current === link else { return }
        state = .greeting(link, Greeting(settings, scripts: scripts))
    }

    func output(of link: Link, atLeast count: Int) -> [UInt8] {
        switch state {
        case .open: return user?.output(atLeast: count, digests) ?? []
        case .greeting(_, var greeting):
            defer { state = .greeting(link, greeting) }
            return greeting.takeBytes()
        case .idle, .waiting, .finding, .linking, .closed: return []
        }
    }

    func received(_ reply: RedisReply, _ link: Link, _ loop: Loop) throws(WireError) {
        guard case .greeting(_, var greeting) = state else {
            try user?.received(reply, loop)
            return
        }
        try greeting.answered(reply)
        guard greeting.isDone else {
            state = .greeting(link, greeting)
            return
        }
        state = .open(link)
        digests = greeting.digests
        if let connectTimer { loop.cancel(connectTimer) }
        connectTimer = nil
        user?.opened(loop)
    }

    func failed(_ failure: WireError, _ link: Link, _ loop: Loop) {
        guard link === self.link else { return }
        end(failure, loop)
    }
}
