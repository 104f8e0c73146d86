internal import Basics
internal import Logs

/// Logs the ends of a connection, each cause once until the connection works again.
final class WireReport: Sendable {
    private struct State {
        var last: WireError?
        var kinds: [String: ContinuousClock.Instant] = [:]
    }

    private static let interval = Duration.seconds(10)

    private let logger: Logger
    private let address: String
    private let purpose: String
    private let state = Locked(State())

    /// Makes a report of one connection.
    ///
    /// - Parameters:
    ///   - address: The address of the server.
    ///   - purpose: `commands` or `changes`.
    ///   - logger: Receives the lines.
    init(_ address: String, _ purpose: String, _ logger: Logger) {
        self.address = address
        self.purpose = purpose
        self.logger = logger
    }

    /// Why there is no connection; nil while there is one, or before the first attempt ended.
    var failure: WireError? { state.withLock { $0.last } }

    func opened() {
        let before = state.withLock { state in
            defer { state.last = nil }
            return state.last
        }
        guard before != nil else { return }
        logger.info(
            "The Redis store answers again", metadata: ["redis.server": "\(address)", "redis.connection": "\(purpose)"])
    }

    func ended(_ failure: WireError) {
        let isNew = state.withLock { state in
            defer { state.last = failure }
            return state.last != failure
        }
        guard isNew else { return }
        logger.error(
            "The Redis store has no connection",
            metadata: [
                "redis.server": "\(address)", "redis.connection": "\(purpose)", "cause": "\(failure.cause)",
            ])
    }

    /// Logs a refused command, at most one line per kind in ten seconds.
    func refused(_ kind: String) {
        let isNew = state.withLock { state in
            let now = ContinuousClock.now
            if let last = state.kinds[kind], now - last < Self.interval { return false }
            // The server chooses the kinds.
            if state.kinds.count >= 32 { state.kinds = [:] }
            state.kinds[kind] = now
            return true
        }
        guard isNew else { return }
        logger.error(
            "The Redis store refused a command", metadata: ["redis.server": "\(address)", "redis.error": "\(kind)"])
    }
}
