internal import Basics
internal import Logs

/// Logs why tokens are refused and why the guard cannot judge, at most once a minute per issuer and reason.
///
/// Any caller can send forged tokens; the limit keeps such callers from filling the log.
final class RefusalLog: Sendable {
    private struct Reason: Hashable {
        let issuer: String?
        let what: String
    }

    private struct Entry {
        var said: Timestamp
        var count = 0
    }

    private static let pause = Duration.seconds(60)
    private static let bound = 1024

    private let entries = Locked<[Reason: Entry]>([:])
    private let logger: Logger
    private let time: any TimeSource

    init(_ logger: Logger, _ time: any TimeSource) {
        self.logger = logger
        self.time = time
    }

    /// Logs that a token was refused.
    func refused(_ check: String, _ advice: String?, _ issuer: String?) {
        logger.debug("Token refused", metadata: ["check": .string(check)])
        guard let count = isDue(Reason(issuer: issuer, what: check)) else { return }
        var metadata = metadata(issuer, count)
        metadata["check"] = .string(check)
        if let advice { metadata["advice"] = .string(advice) }
        logger.info("Access tokens are refused", metadata: metadata)
    }

    /// Logs that the issuer does not answer, a cause that passes by itself.
    func unavailable(_ what: String, _ issuer: String?) {
        guard let count = isDue(Reason(issuer: issuer, what: what)) else { return }
        var metadata = metadata(issuer, count)
        metadata["cause"] = .string(what)
        logger.warning("A token cannot be judged: the issuer does not answer", metadata: metadata)
    }

    /// Logs a cause that an operator has to remove.
    func misconfigured(_ what: String, _ issuer: String?) {
        guard let count = isDue(Reason(issuer: issuer, what: what)) else { return }
        var metadata = metadata(issuer, count)
        metadata["cause"] = .string(what)
        logger.error("A token cannot be judged", metadata: metadata)
    }

    private func metadata(_ issuer: String?, _ count: Int) -> Logger.Metadata {
        var metadata: Logger.Metadata = ["count": .stringConvertible(count)]
        if let issuer { metadata["issuer"] = .string(issuer) }
        return metadata
    }

    /// - Returns: The number of occurrences since the last line; nil if it is too early for another line.
    private func isDue(_ reason: Reason) -> Int? {
        let now = time.now()
        return entries.withLock { entries in
            guard var entry = entries[reason] else {
                if entries.count >= Self.bound { entries.removeAll() }
                entries[reason] = Entry(said: now)
                return 1
            }
            entry.count += 1
            // A clock that was set back must not silence a reason for ever.
            let isDue = now < entry.said || now >= entry.said + Self.pause
            let count = entry.count
            if isDue { entry = Entry(said: now) }
            entries[reason] = entry
            return isDue ? count : nil
        }
    }
}
