internal import BFF
internal import BFFAPI
internal import HTTPCore

/// What is known of credentials of browsers (WebAuthn, passkeys) besides what follows from the server's own origins.
public struct WebAuthnSettings: Sendable, Equatable {
    /// Origins of other pages on which credentials may be used, exactly as browsers write them; `origins`, none unless set.
    public var origins: [String] = []
    /// Ids of relying parties that are good though no host of these pages is within them; `rpIds`, none unless set.
    public var relyingPartyIDs: [String] = []
    /// Whether pages see challenges that are the provider session, as OpenAM makes them; `insecureChallenge`, no unless set.
    public var insecureChallenge = false

    /// Nothing besides the server's own origins.
    public init() {}

    /// The rules for credentials, with the origins of the server.
    func rules(_ api: APISettings) -> CredentialRules {
        let pages = ([api.publicURL.origin] + api.corsOrigins + origins).compactMap { text in
            WebURL(text).map { (text: text, host: $0.host) }
        }
        return CredentialRules(origins: pages, relyingParties: relyingPartyIDs, showsSessions: insecureChallenge)
    }
}
