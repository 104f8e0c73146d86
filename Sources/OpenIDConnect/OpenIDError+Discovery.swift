internal import Discovery
internal import HTTPCore

extension OpenIDError {
    /// Converts the reason why metadata or keys are not available.
    init(_ error: DiscoveryError) {
        self =
            switch error {
            case .unavailable: .notReached
            case .busy(let wait): .busy(retryAfter: wait)
            case .cancelled: .cancelled
            case .unexpectedStatus(let status):
                status >= 500 ? .noUsableAnswer : .configuration("the discovery document answers with \(status)")
            case .malformed(let member):
                .configuration("the provider's document cannot be read\(member.map { ": \($0)" } ?? "")")
            case .missing(let member): .configuration("the provider's metadata lacks \(member)")
            case .issuerMismatch(let found, let expected):
                .configuration(
                    "the discovery document names the issuer \(found), expected \(expected); "
                        + "if that is right, set oidc.issuer: \(found)")
            case .addressRefused(let member): .configuration("the provider's \(member) is not on its own origin")
            }
    }
}
