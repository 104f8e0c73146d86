package import BFF
internal import HTTPCore

/// The settings of browser credentials (WebAuthn, passkeys), besides the rules that follow from the server's own
/// origins.
public struct WebAuthnSettings: Sendable, Equatable {
    /// Origins of further pages that may use credentials, exactly as browsers write them; `origins`, none unless set.
    public var origins: [String] = []
    /// Relying party ids that are valid although no host of these pages is within them; `rpIds`, none unless set.
    public var relyingPartyIDs: [String] = []
    /// True to show pages challenges that are the provider session, as OpenAM makes them; `insecureChallenge`, false
    /// unless set.
    public var insecureChallenge = false

    /// No settings besides the server's own origins.
    public init() {}

    /// The rules for credentials, with the origins of the server.
    package func rules(_ own: PageOrigins) -> CredentialRules {
        let pages = ([own.publicURL.origin] + own.corsOrigins + origins).compactMap { text in
            WebURL(text).map { (text: text, host: $0.host) }
        }
        return CredentialRules(origins: pages, relyingParties: relyingPartyIDs, showsSessions: insecureChallenge)
    }
}
