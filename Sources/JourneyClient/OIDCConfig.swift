public import Basics
internal import Discovery
internal import HTTPCore
public import OpenIDConnect

/// The OAuth client of a journey: what `JourneyConfig.oidc` sets, in the words of `OpenIDClientSettings`.
public struct OIDCConfig: Sendable {
    /// The name of the client at AM; required.
    public var clientID = ""
    /// How the client proves who it is; a public client unless set.
    public var authentication = ClientAuthentication.none
    /// What is asked for; `openid` among them.
    public var scopes = ["openid"]
    /// The redirect URI as registered, which nobody visits; required.
    public var redirectURI = ""
    /// `acr_values` of every authorization; none unless set.
    public var acrValues: [String] = []
    /// Further parameters of every authorization; never one that the client sets itself.
    public var parameters: [String: String] = [:]
    /// Whether the user's consent is given in their place where AM asks for it.
    ///
    /// False unless set, and then such a journey fails. Each one is saved in the caller's store `StorageKey.consents`.
    public var grantsConsent = false
    /// The discovery document; that of the journey's realm unless set.
    public var discovery: String?
    /// The issuer that the document must name; that of its address unless set.
    public var issuer: String?
    /// Where tokens are kept for callers who bring no store; all such callers share it.
    public var storage: (any Storage<TokenSet>)?

    /// Makes a configuration that lacks client id and redirect URI.
    public init() {}

    /// The client, which sends what it has to say by the transport of the journey.
    ///
    /// - Throws: `.oidc` naming the member that cannot be used.
    func client(of journey: JourneyConfig) throws(JourneyConfigurationError) -> OpenIDClient {
        guard !clientID.isEmpty else { throw .oidc("clientID is missing") }
        guard !redirectURI.isEmpty else { throw .oidc("redirectURI is missing") }
        guard scopes.contains("openid") else { throw .oidc("scopes lack openid") }
        let address = discovery.map { WebURL($0) } ?? Self.discovery(of: journey)
        guard let address else { throw .oidc("discovery is no address") }
        var settings = OpenIDClientSettings(
            discovery: address, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
            redirectURI: redirectURI, acrValues: acrValues, parameters: parameters, insecureHTTP: journey.insecureHTTP)
        settings.endpoints.isAM = true
        settings.grantsConsent = grantsConsent
        return OpenIDClient(
            settings,
            directory: ProviderDirectory(transport: journey.transport, time: journey.time, logger: journey.logger),
            transport: journey.transport, time: journey.time, logger: journey.logger)
    }

    private static func discovery(of journey: JourneyConfig) -> WebURL? {
        WebURL(journey.serverUrl).flatMap { Journey.discoveryAddress(serverURL: $0, realm: journey.realm) }
    }
}
