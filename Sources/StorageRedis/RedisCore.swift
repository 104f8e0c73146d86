internal import Basics
internal import EventLoop
internal import StorageKit

/// The connections of a store; lives on the event thread.
final class RedisCore {
    private let commands: CommandChannel
    private let subscriptions: Subscriptions
    private var stopHandler: StopHandlerID?

    init(
        _ settings: RedisSettings, _ limits: RedisStoreLimits, events: EventThread, hub: ChangeHub, keys: KeyNames,
        commandReport: WireReport, changesReport: WireReport
    ) {
        commands = CommandChannel(settings, limits, events: events, report: commandReport)
        subscriptions = Subscriptions(
            settings, limits, events: events, hub: hub, keys: keys, report: changesReport)
    }

    func start(_ loop: Loop) {
        stopHandler = loop.onStop { [weak self] loop in
            self?.stopHandler = nil
            self?.close(loop, atOnce: true) {}
        }
        commands.start(loop)
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
        subscriptions.close(loop)
        commands.close(loop, atOnce: atOnce, done)
    }
}
