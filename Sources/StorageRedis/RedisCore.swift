internal import Basics
internal import EventLoop
internal import StorageKit

/// The connections of a store; lives on the event thread.
final class RedisCore {
    private let commands: CommandChannel
    private let subscriptions: Subscriptions
    private var watches: [SwitchWatch] = []
    private var stopHandler: StopHandlerID?

    init(
        _ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, hub: ChangeHub, keys: KeyNames,
        commandReport: WireReport, changesReport: WireReport
    ) {
        commands = CommandChannel(settings, limits, events: events, report: commandReport)
        subscriptions = Subscriptions(
            settings, limits, events: events, hub: hub, keys: keys, report: changesReport)
        guard case .sentinels(let sentinels) = settings.address else { return }
        watches = sentinels.hosts.map { host in
            SwitchWatch(
                sentinels, settings,
                make: { user in
                    Link(Endpoint(host), settings.tls, events: events, user: user) {
                        SocketAddress.find($0, $1, numeric: $2)
                    }
                },
                moved: { [weak self] primary, loop in
                    self?.commands.moved(to: primary, loop)
                    self?.subscriptions.moved(to: primary, loop)
                })
        }
    }

    func start(_ loop: Loop) {
        stopHandler = loop.onStop { [weak self] loop in
            self?.stopHandler = nil
            self?.close(loop, atOnce: true) {}
        }
        commands.start(loop)
        for watch in watches { watch.start(loop) }
    }

    func submit(_ requests: [CommandRequest], _ loop: Loop) {
        commands.submit(requests, loop)
    }

    func listen(to subject: StoreSubject, _ loop: Loop, _ finish: @escaping Subscriptions.Finish) {
        subscriptions.listen(to: subject, loop, finish)
    }

    func unlisten(_ subject: StoreSubject, _ loop: Loop) {
        subscriptions.unlisten(subject, loop)
    }

    /// Closes both connections; that of the commands once their answers or deadlines came, or at once.
    func close(_ loop: Loop, atOnce: Bool = false, _ done: @escaping @Sendable () -> Void) {
        if let stopHandler, atOnce { loop.removeStopHandler(stopHandler) }
        for watch in watches { watch.close(loop) }
        subscriptions.close(loop)
        commands.close(loop, atOnce: atOnce, done)
    }
}
