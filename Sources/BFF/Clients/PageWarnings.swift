import Basics
import Logs

/// Says of a client what keeps browsers from answering its pages, each thing once a minute: whoever begins flows does not fill
/// the log.
final class PageWarnings: Sendable {
    private static let pause = Duration.seconds(60)
    private static let bound = 64

    /// When each thing was said last; a relying party by its id, a host behind `go `, the challenge by no text at all.
    private let said = Locked<[String: Timestamp]>([:])
    private let logger: Logger
    private let time: any TimeSource

    init(_ logger: Logger, _ time: any TimeSource) {
        self.logger = logger
        self.time = time
    }

    /// A page names a relying party that no page of ours can stand for.
    func strange(relyingParty: String) {
        guard isDue(relyingParty) else { return }
        logger.warning(
            "No page of this server can have credentials of a relying party; see webAuthn in the settings",
            metadata: ["relyingParty": .string(relyingParty)])
    }

    /// A button of a page leads where no browser is sent.
    func foreign(host: String) {
        guard isDue("go " + host) else { return }
        logger.warning(
            "A button leads where no browser is sent; see linkHosts in the settings", metadata: ["host": .string(host)])
    }

    /// A page has a challenge that no browser may see.
    func hiddenChallenge() {
        guard isDue("") else { return }
        logger.warning("A challenge is the provider session; see webAuthn.insecureChallenge in the settings")
    }

    private func isDue(_ what: String) -> Bool {
        let now = time.now()
        return said.withLock { said in
            // A clock that was set back must not silence anything for ever.
            if let last = said[what], last <= now, now < last + Self.pause { return false }
            if said.count >= Self.bound { said.removeAll() }
            said[what] = now
            return true
        }
    }
}
