package import BFF
package import Basics
package import Discovery
package import HTTPCore
package import OpenIDConnect
package import ResourceServer
package import SettingsKit

/// A product: the settings of one of its clients, and everything the server asks of them.
///
/// A product is a target of its own with one type that conforms; the list of products in `Cloakroom` names it. No other
/// code knows it.
package protocol ProductSettings: Sendable, Equatable {
    /// The value of `clients.*.type`; also the product's name in the API.
    static var name: ProductName { get }

    /// A client of the product, in messages about settings: `a journey`.
    static var clientWords: String { get }

    /// The product's flows, in messages about settings: `journeys`.
    static var flowWords: String { get }

    /// The keys of a client's section that the product reads; other products report those that only it has.
    static var keys: [String] { get }

    /// The members that the product reads in bodies, besides those that every start may have.
    static var startMembers: StartMemberNames { get }

    /// The settings that identify the provider, in messages.
    static var providerKeys: String { get }

    /// The settings that say where the discovery document is, in messages.
    static var discoveryKeys: String { get }

    /// True if `tryAuthorization` tries redirect URI and scopes.
    static var triesAuthorization: Bool { get }

    /// Why no token of the product states an authentication level; nil if tokens can state one.
    static var levelNote: String? { get }

    /// The default timeout of an answer to a page; nil for the timeout of all calls.
    ///
    /// With such a default the answers may take longer than the server's limit for other requests.
    static var stepTimeout: Duration? { get }

    /// The advice in the location of a redirect that an API sends in place of a challenge; nil if it is not the product's.
    static func challenge(at location: String) -> ReceivedChallenge?

    /// The state about a provider that outlives a reload of the settings.
    static func makeMemory() -> any Sendable

    /// Reads the product's keys of a client's section.
    ///
    /// - Returns: nil when they cannot be used, which was reported.
    static func read(_ section: Section, _ terms: ReadingTerms) -> ReadProduct?

    /// The values that decide what the provider is asked and what a page shows, for the fingerprint; without secrets.
    var facts: [String] { get }

    /// One text for each provider, independent of the spelling of its settings.
    func provider(of openID: OpenIDClientSettings) -> String

    /// The default for the acr values of a step-up: true if the provider is asked for each class that a requirement
    /// names, false for only those that the client allows.
    var asksForEachClass: Bool { get }

    /// The layers of the calls to the provider.
    ///
    /// - Parameters:
    ///   - memory: The value of `makeMemory()` that the clients of the provider share; nil for a check, which keeps none.
    ///   - time: The clock of pauses.
    /// - Returns: The layers.
    func layers(_ memory: (any Sendable)?, _ time: any TimeSource) -> ProviderLayers

    /// The beginnings of addresses of published documents whose calls need the layer of header fields.
    func documents(of openID: OpenIDClientSettings) -> [String]

    /// Builds the client.
    ///
    /// - Throws: The problem of the settings, for the operator.
    func makeClient(_ parts: ClientParts) throws(ClientBuildError) -> any FlowClient

    /// Tries the product's own conditions for a sign-in.
    ///
    /// - Parameters:
    ///   - check: The check of the client.
    ///   - metadata: The provider's document; nil if it could not be fetched, which is a finding of its own.
    /// - Returns: The findings.
    func findings(_ check: LiveCheck, _ metadata: ProviderMetadata?) async -> [LiveFinding]

    /// Tries redirect URI and scopes at the authorization endpoint.
    ///
    /// - Returns: The result; nil for a product that cannot try them without a user.
    func tryAuthorization(_ check: LiveCheck) async -> LiveFinding?
}

extension ProductSettings {
    /// No members: starts have those alone that every start may have.
    package static var startMembers: StartMemberNames { StartMemberNames() }

    /// False: they cannot be tried without a user.
    package static var triesAuthorization: Bool { false }

    /// nil: the timeout of all calls applies.
    package static var stepTimeout: Duration? { nil }

    /// nil: no gateway redirects to this product.
    package static func challenge(at location: String) -> ReceivedChallenge? { nil }

    /// No state: nothing outlives a reload.
    package static func makeMemory() -> any Sendable { () }

    /// No layers: calls go out as they are.
    package func layers(_ memory: (any Sendable)?, _ time: any TimeSource) -> ProviderLayers { ProviderLayers() }

    /// No addresses: published documents need no layer.
    package func documents(of openID: OpenIDClientSettings) -> [String] { [] }

    /// nil: not tried.
    package func tryAuthorization(_ check: LiveCheck) async -> LiveFinding? { nil }

    /// True if answers to pages may take longer than the server's limit for other requests.
    package var outlastsRequests: Bool { Self.stepTimeout != nil }

    /// True if the other settings are of the same product and equal.
    package func isSame(as other: any ProductSettings) -> Bool { (other as? Self) == self }
}

/// The settings of the file that a product's reader needs besides its own section.
package struct ReadingTerms: Sendable {
    /// The address at which browsers see the server; nil if it cannot be read.
    package let publicURL: WebURL?
    /// True if addresses of the provider may be http on another machine.
    package let insecureHTTP: Bool

    /// Makes the terms of one client.
    package init(publicURL: WebURL?, insecureHTTP: Bool) {
        self.publicURL = publicURL
        self.insecureHTTP = insecureHTTP
    }
}

/// The settings of a client as its product read them.
package struct ReadProduct {
    package let settings: any ProductSettings
    package let openID: OpenIDClientSettings
    package let allowed: StartAllowance
    package let keepsSession: Bool

    /// Makes the settings that were read.
    package init(
        _ settings: any ProductSettings, openID: OpenIDClientSettings, allowed: StartAllowance,
        keepsSession: Bool = false
    ) {
        self.settings = settings
        self.openID = openID
        self.allowed = allowed
        self.keepsSession = keepsSession
    }
}
