import Logs

/// What a log line costs that is not written because of its level: the test of the level and nothing of the message.
///
/// Budget: 5 ns. Prints the fastest of 200 runs, for a logger with a level and for one that is silent.
enum LogRole {
    /// Holds a logger as the modules do, so that the compiler knows neither its level nor where it writes.
    private final class Component {
        private let logger: Logger

        init(_ logger: Logger) {
            self.logger = logger
        }

        @inline(never)
        func step(_ number: Int) {
            logger.debug("A step", metadata: ["number": "\(number)", "twice": .stringConvertible(number * 2)])
        }
    }

    private static let lines = 1_000_000

    static func run() {
        let quiet = nanoseconds(Component(Main.logger("log")))
        let silent = nanoseconds(Component(.silent))
        print("log line below the level: \(quiet) ns; of a silent logger: \(silent) ns; budget 5 ns")
    }

    /// The time of one line, to a hundredth; the loop and the call around it are included.
    private static func nanoseconds(_ component: Component) -> Double {
        let runs = (0..<200).map { _ in
            let begin = ContinuousClock.now
            for number in 0..<lines { component.step(number) }
            return ContinuousClock.now - begin
        }
        let best = runs.min() ?? .zero
        return (best / .nanoseconds(lines) * 100).rounded() / 100
    }
}
