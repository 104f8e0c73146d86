package import Basics
package import Logs

/// Warns the operator of pages of a client that browsers cannot answer.
///
/// Each warning is logged once a minute at most, so that requests which begin flows cannot fill the log.
package final class PageWarnings: Sendable {
    private static let pause = Duration.seconds(60)
    private static let bound = 64

    /// The time of the last warning by its key: the id of a relying party, a host behind `go `, or an empty text for a
    /// challenge.
    private let said = Locked<[String: Timestamp]>([:])
    private let logger: Logger
    private let time: any TimeSource

    /// Warns in a log.
    package init(_ logger: Logger, _ time: any TimeSource) {
        self.logger = logger
        self.time = time
    }

    /// Warns of a page that names a relying party that no page of ours can stand for.
    package func foreign(relyingParty: String) {
        guard isDue(relyingParty) else { return }
        logger.warning(
            "No page of this server can have credentials of a relying party; see webAuthn in the settings",
            metadata: ["relyingParty": .string(relyingParty)])
    }

    /// Warns of a page with a button to a host that the settings do not allow.
    package func foreign(host: String) {
        guard isDue("go " + host) else { return }
        logger.warning(
            "A button leads where no browser is sent; see linkHosts in the settings", metadata: ["host": .string(host)])
    }

    /// Warns of a page with a challenge that no browser may see.
    package func hiddenChallenge() {
        guard isDue("") else { return }
        logger.warning("A challenge is the provider session; see webAuthn.insecureChallenge in the settings")
    }

    private func isDue(_ what: String) -> Bool {
        let now = time.now()
        return said.withLock { said in
            // A clock that was set back must not suppress a warning for ever.
            if let last = said[what], last <= now, now < last + Self.pause { return false }
            if said.count >= Self.bound { said.removeAll() }
            said[what] = now
            return true
        }
    }
}
