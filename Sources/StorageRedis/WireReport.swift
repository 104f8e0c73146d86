internal import Basics
internal import Logs

/// Logs the ends of connections, each cause once until all connections work again.
final class WireReport: Sendable {
    /// The name of one connection.
    struct Source: Hashable, Sendable {
        fileprivate let number: Int
    }

    private struct State {
        /// Why the connections that do not work ended last.
        var failing: [Source: WireError] = [:]
        var last: WireError?
        var sources = 0
        var kinds: [String: ContinuousClock.Instant] = [:]
    }

    private static let interval = Duration.seconds(10)

    private let logger: Logger
    private let address: String
    private let purpose: String
    private let state = Locked(State())

    /// Makes a report of the connections for one purpose.
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

    /// Names one more connection.
    func source() -> Source {
        state.withLock { state in
            state.sources += 1
            return Source(number: state.sources)
        }
    }

    /// Why a connection is missing; nil while all work, or before the first attempt ended.
    var failure: WireError? {
        state.withLock { state in state.failing.isEmpty ? nil : state.last }
    }

    /// Notes that a connection works, or that it is not needed any more.
    func opened(_ source: Source) {
        let isLast = state.withLock { state in
            state.failing.removeValue(forKey: source) != nil && state.failing.isEmpty
        }
        guard isLast else { return }
        logger.info(
            "The Redis store answers again", metadata: ["redis.server": "\(address)", "redis.connection": "\(purpose)"])
    }

    /// Notes why a connection ended.
    func ended(_ failure: WireError, _ source: Source) {
        let isNew = state.withLock { state in
            defer {
                state.failing[source] = failure
                state.last = failure
            }
            // rule: several connections that fail alike are one line | true
            return !state.failing.values.contains(failure)
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
