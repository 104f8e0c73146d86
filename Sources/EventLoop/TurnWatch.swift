internal import Logs

/// Logs turns of an event thread that took too long, because everything on the thread waited meanwhile.
struct TurnWatch {
    /// The number of pieces of each kind that a turn ran; tells which kind to look for.
    struct Pieces {
        var jobs = 0
        var tasks = 0
        var timers = 0
        var events = 0
    }

    /// The time after which a turn counts as too long.
    static let limit = Duration.milliseconds(50)
    /// The time between two warnings, so that a slow machine does not fill the log.
    private static let pause = Duration.seconds(10)

    private let name: String
    private let limit: Duration
    private let logger: Logger
    private var began = ContinuousClock.now
    private var warned: ContinuousClock.Instant?
    private var unreported = 0
    var pieces = Pieces()

    init(name: String, limit: Duration, logger: Logger) {
        self.name = name
        self.limit = limit
        self.logger = logger
    }

    mutating func begin() {
        began = .now
        pieces = Pieces()
    }

    mutating func end() {
        let now = ContinuousClock.now
        let taken = now - began
        guard taken > limit else { return }
        unreported += 1
        if let warned, now - warned < Self.pause { return }
        warned = now
        logger.warning(
            "An event thread was held too long; everything on it waited meanwhile",
            metadata: [
                "thread": .string(name), "milliseconds": .stringConvertible(taken / .milliseconds(1)),
                "turns": .stringConvertible(unreported), "jobs": .stringConvertible(pieces.jobs),
                "tasks": .stringConvertible(pieces.tasks), "timers": .stringConvertible(pieces.timers),
                "events": .stringConvertible(pieces.events),
            ])
        unreported = 0
    }
}
