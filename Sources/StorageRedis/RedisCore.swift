internal import Basics
internal import EventLoop
internal import StorageKit

/// The parts that a store has once, on its first event thread: the connection for messages, and those to sentinels.
final class RedisCore {
    private let subscriptions: Subscriptions
    private var watches: [SwitchWatch] = []
    private var stopHandler: StopHandlerID?

    /// Makes the connections.
    ///
    /// - Parameters:
    ///   - settings: Where the server is.
    ///   - events: The thread.
    ///   - subscriptions: The connection for messages.
    ///   - moved: Takes the address of a new primary, for the connections of all threads.
    init(
        _ settings: RedisSettings, events: EventThread, subscriptions: Subscriptions,
        moved: @escaping @Sendable (Endpoint) -> Void
    ) {
        self.subscriptions = subscriptions
        guard case .sentinels(let sentinels) = settings.address else { return }
        watches = sentinels.hosts.map { host in
            SwitchWatch(
                sentinels, settings,
                make: { user in
                    Link(Endpoint(host), settings, events: events, user: user) {
                        SocketAddress.find($0, $1, numeric: $2)
                    }
                },
                moved: { [weak self] primary, loop in
                    moved(primary)
                    self?.subscriptions.moved(to: primary, loop)
                })
        }
    }

    func start(_ loop: Loop) {
        stopHandler = loop.onStop { [weak self] loop in
            self?.stopHandler = nil
            self?.close(loop)
        }
        for watch in watches { watch.start(loop) }
    }

    func listen(to subject: StoreSubject, _ loop: Loop, _ finish: @escaping Subscriptions.Finish) {
        subscriptions.listen(to: subject, loop, finish)
    }

    func unlisten(_ subject: StoreSubject, _ loop: Loop) {
        subscriptions.unlisten(subject, loop)
    }

    /// Closes all of them at once.
    func close(_ loop: Loop) {
        if let stopHandler { loop.removeStopHandler(stopHandler) }
        stopHandler = nil
        for watch in watches { watch.close(loop) }
        subscriptions.close(loop)
    }
}
