internal import EventLoop

/// The way of commands to their server; lives on an event thread.
protocol CommandRoute: AnyObject {
    /// Begins to connect.
    func start(_ loop: Loop)
    /// Takes commands in their order.
    func submit(_ calls: [CommandCall], _ loop: Loop)
    /// Another server has become the primary.
    func moved(to primary: Endpoint, _ loop: Loop)
    /// Accepts no more commands; calls back once all others have their answers or their deadlines passed.
    func close(_ loop: Loop, atOnce: Bool, _ done: @escaping () -> Void)
}

/// The connections of one event thread that carry commands.
final class LaneCore {
    private let route: any CommandRoute
    /// The commands of this turn that came from the thread itself.
    private var added: [CommandRequest] = []
    private var step: TurnStepID?
    private var stopHandler: StopHandlerID?
    private var isClosed = false

    init(_ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, report: WireReport) {
        switch settings.address {
        case .cluster(let cluster):
            route = ClusterRoute(cluster, settings, limits, events: events, report: report)
        case .tcp, .socket, .sentinels:
            route = CommandChannel(settings, limits, events: events, report: report)
        }
    }

    func start(_ loop: Loop) {
        guard !isClosed, stopHandler == nil else { return }
        stopHandler = loop.onStop { [weak self] loop in
            self?.stopHandler = nil
            self?.close(loop, atOnce: true) {}
        }
        step = loop.addTurnStep { [weak self] loop in
            self?.sendAdded(loop)
            return false
        }
        route.start(loop)
    }

    /// Takes a command that goes out before the thread waits again, with all others that it takes until then.
    func add(_ request: CommandRequest, _ loop: Loop) {
        // A closed store leaves no command without an answer.
        guard !isClosed, step != nil else { return submit([request], loop) }
        added.append(request)
    }

    private func sendAdded(_ loop: Loop) {
        guard !added.isEmpty else { return }
        let requests = added
        added = []
        submit(requests, loop)
    }

    /// Sends commands now.
    func submit(_ requests: [CommandRequest], _ loop: Loop) {
        route.submit(
            requests.map { request in
                CommandCall(request) { result, _ in request.finish(result) }
            }, loop)
    }

    /// Another server has become the primary.
    func moved(to primary: Endpoint, _ loop: Loop) {
        route.moved(to: primary, loop)
    }

    /// Closes the connections, once their answers or deadlines came, or at once.
    func close(_ loop: Loop, atOnce: Bool, _ done: @escaping @Sendable () -> Void) {
        sendAdded(loop)
        isClosed = true
        if let stopHandler, atOnce { loop.removeStopHandler(stopHandler) }
        route.close(loop, atOnce: atOnce, done)
    }
}
