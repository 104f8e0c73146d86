public import Basics
package import HTTPCore

/// The OAuth client of a product: what the block of its `oidc` sets, in the words of `OpenIDClientSettings`.
public struct OIDCConfig: Sendable {
    /// The name of the client at the provider; required.
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
    /// Whether the user's consent is given in their place where the provider asks for it.
    ///
    /// False unless set, and then such a flow fails. Each one is saved in the caller's store `StorageKey.consents`.
    public var grantsConsent = false
    /// True if the parameters of an authorization are pushed to the provider first (RFC 9126); false unless set, and then they
    /// are pushed where the provider requires it.
    public var par = false
    /// The discovery document; required where the product knows none by itself.
    public var discovery: String?
    /// The issuer that the document must name; that of its address unless set.
    public var issuer: String?
    /// Where tokens are kept for callers who bring no store; all such callers share it.
    ///
    /// Required unless every caller brings one, see `callersBringStorage`.
    public var storage: (any Storage<TokenSet>)?
    /// True if every `Caller` brings a store of its own under `StorageKey.tokens`, as in a program with many users.
    ///
    /// False unless set, and then a client without `storage` is not made: its tokens would be lost after the user's last page.
    public var callersBringStorage = false

    /// Makes a configuration that lacks client id and redirect URI.
    public init() {}

    /// The registration of the client.
    ///
    /// - Parameters:
    ///   - address: The discovery document where none is set; nil where there is no such default.
    ///   - insecureHTTP: Allows http to hosts that are not this machine.
    /// - Returns: The registration.
    /// - Throws: `.configuration` naming the member that cannot be used.
    package func registration(
        discovery address: WebURL?, insecureHTTP: Bool
    ) throws(OpenIDError) -> OpenIDClientSettings {
        guard !clientID.isEmpty else { throw .configuration("clientID is missing") }
        guard !redirectURI.isEmpty else { throw .configuration("redirectURI is missing") }
        guard scopes.contains("openid") else { throw .configuration("scopes lack openid") }
        guard let address = discovery.map({ WebURL($0) }) ?? address else {
            throw .configuration("discovery is no address")
        }
        // rule: tokens have a storage before anyone signs in
        guard storage != nil || callersBringStorage else {
            throw .configuration(
                "storage is missing; or set callersBringStorage where every Caller brings one for tokens")
        }
        var settings = OpenIDClientSettings(
            discovery: address, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
            redirectURI: redirectURI, acrValues: acrValues, parameters: parameters, insecureHTTP: insecureHTTP)
        settings.grantsConsent = grantsConsent
        settings.par = par
        return settings
    }
}
