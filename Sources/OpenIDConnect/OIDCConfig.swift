public import Basics
package import HTTPCore

/// The OAuth client of a product: the settings in the product's `oidc` block, named as in `OpenIDClientSettings`.
public struct OIDCConfig: Sendable {
    /// The `client_id` at the provider; required.
    public var clientID = ""
    /// How the client authenticates itself; a public client unless set.
    public var authentication = ClientAuthentication.none
    /// The scopes to ask for; must include `openid`.
    public var scopes = ["openid"]
    /// The redirect URI as registered, which no browser visits; required.
    public var redirectURI = ""
    /// `acr_values` of every authorization; none unless set.
    public var acrValues: [String] = []
    /// Further parameters of every authorization; never a parameter that the client sets itself.
    public var parameters: [String: String] = [:]
    /// True if the server gives consent on behalf of the user when the provider asks for it.
    ///
    /// False unless set; then such a flow fails. Each consent is saved in the caller's store `StorageKey.consents`.
    public var grantsConsent = false
    /// True if the parameters of an authorization are always pushed to the provider first (RFC 9126).
    ///
    /// False unless set; then they are pushed only where the provider requires it.
    public var par = false
    /// The address of the discovery document; required where the product has no default.
    public var discovery: String?
    /// The issuer that the document must name; derived from the document's address unless set.
    public var issuer: String?
    /// The token store for callers that bring no store; all such callers share it.
    ///
    /// Required unless every caller brings one, see `callersBringStorage`.
    public var storage: (any Storage<TokenSet>)?
    /// True if every `Caller` brings a store of its own under `StorageKey.tokens`, as in a program with many users.
    ///
    /// False unless set; then making a client without `storage` fails, because its tokens would be lost after the
    /// user's last page.
    public var callersBringStorage = false

    /// Makes a configuration that lacks client id and redirect URI.
    public init() {}

    /// The client settings that the configuration describes.
    ///
    /// - Parameters:
    ///   - address: The discovery document's default address; nil where the product has no default.
    ///   - insecureHTTP: Allows http to hosts other than this machine.
    /// - Returns: The client settings.
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
