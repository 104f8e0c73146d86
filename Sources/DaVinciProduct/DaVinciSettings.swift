package import BFF
package import Basics
package import DaVinciClient
internal import HTTPCore
package import OpenIDConnect
package import Orchestrate
package import ProductKit
package import SettingsKit

/// The settings of a client of DaVinci flows; the provider is that of its OpenID registration.
package struct DaVinciSettings: Sendable, Equatable {
    /// The platform that the calls name.
    package var platform = "javascript"
    /// The languages that are requested; the browser's unless set.
    package var languages = LanguagePreference()
    /// The method of the request that begins a flow.
    package var startsBy = Authorization.Method.get
    /// The form in which a chosen device is sent back.
    package var deviceValue = DeviceValue.web
    /// The cookies that are kept with the session.
    package var persistCookies = ["ST", "ST-NO-SS"]

    /// The default settings.
    package init() {}

    /// The keys in the file.
    static let settings: [Setting<Self>] = [
        .init("platform", \.platform, .platform),
        .languages(\.languages),
        .init("start", \.startsBy, .choice(["get": .get, "post": .post])),
        .init("deviceValue", \.deviceValue, .anyCase),
        .init("persistCookies", list: \.persistCookies, .cookieName, isFilled: true),
    ]
}

extension DaVinciSettings: ProductSettings {
    package static var name: ProductName { .davinci }
    package static var clientWords: String { "a client of DaVinci flows" }
    package static var flowWords: String { "DaVinci flows" }
    package static var keys: [String] { settings.map(\.key) + ["prompts"] }
    package static var providerKeys: String { "oidc.discovery" }
    package static var discoveryKeys: String { "oidc.discovery" }
    package static var levelNote: String? { "PingOne states acr and amr" }
    /// A node may call other services for two minutes.
    package static var stepTimeout: Duration? { .seconds(125) }
    /// PingOne refuses a class that it does not know.
    package var asksForEachClass: Bool { false }

    package var facts: [String] { Self.settings.facts(of: self) }

    package func provider(of openID: OpenIDClientSettings) -> String { openID.discovery.text }

    /// Reads the section of a client of DaVinci flows.
    package static func read(_ section: Section, _ terms: ReadingTerms) -> ReadProduct? {
        var davinci = DaVinciSettings()
        settings.read(section, into: &davinci)
        let own = section.section("oidc")
        let openID = own.readOpenID(discovery: nil, insecure: terms.insecureHTTP, isAM: false)
        if let openID, openID.acrValues.count > 1 {
            section.context.report(
                own.key("acrValues"), "expected one policy: PingOne does not try several in turn")
        }
        var allowed = section.readAllowance { text in
            let name = text.lowercased()
            return OpenIDClientSettings.reservedParameters.contains(name) || Self.reserved.contains(name)
                || ["response_", "code_challenge", "authindex"].contains { name.hasPrefix($0) }
        }
        let prompt = ValueForm<String>.choice([
            "none": "none", "login": "login", "select_account": "select_account", "consent": "consent",
        ])
        allowed.prompts = Set(section.list("prompts", prompt) ?? [])
        return openID.map { ReadProduct(davinci, openID: $0, allowed: allowed) }
    }

    /// Parameters that a start of a flow sets itself, and those of AM, which are a mistake here.
    private static let reserved: Set = [
        "code", "prompt", "login_hint", "ui_locales", "id_token_hint", "goto", "gotoonfail", "realm", "suspendedid",
        "forceauth", "nosession", "authid", "tokenid", "sessionupgradessotokenid", "_action",
    ]

    // MARK: Calls

    /// One pause for all clients of a provider.
    package static func makeMemory() -> any Sendable { ProviderPause() }

    /// The header fields of Ping's SDKs, and the pause that PingOne asked for.
    package func layers(_ memory: (any Sendable)?, _ time: any TimeSource) -> ProviderLayers {
        let platform = platform
        var layers = ProviderLayers(headers: { PingHeaders($0, platform: platform) })
        if let pause = memory as? ProviderPause {
            layers.pause = { PausingCalls(transport: $0, pause: pause, time: time) }
        }
        return layers
    }

    /// The addresses of the environment.
    package func documents(of openID: OpenIDClientSettings) -> [String] {
        let discovery = openID.discovery.text
        let issuer = discovery.firstRange(ofText: "/.well-known/").map { String(discovery[..<$0.lowerBound]) }
        return ([issuer ?? discovery] + openID.endpointOrigins.sorted()).map { $0 + "/" }
    }

    /// Applies the settings to the configuration of a DaVinci client, so that a live check begins flows as sign-ins do.
    ///
    /// The caller sets transport, clock, log and tokens.
    func configure(_ config: inout DaVinciConfig, of client: ClientSettings, _ pages: PageOrigins) {
        config.platform = platform
        config.startsBy = startsBy
        config.deviceValue = deviceValue
        config.persistCookies = persistCookies
        client.configure(&config, languages, pages)
        config.nextTimeout = client.stepTimeout ?? client.timeout
    }

    /// Builds a client of DaVinci flows.
    package func makeClient(_ parts: ClientParts) throws(ClientBuildError) -> any FlowClient {
        let davinci: DaVinci
        do {
            davinci = try DaVinci.createDaVinci { config in
                configure(&config, of: parts.client, parts.pages)
                parts.complete(&config)
                config.nextTimeout = parts.client.stepTimeout ?? parts.client.timeout
            }
        } catch {
            throw ClientBuildError("\(error)")
        }
        return DaVinciSignIn(
            davinci, parts.openID, policies: parts.client.allowed.acrValues, credentials: parts.credentials,
            logger: parts.ownLogger)
    }
}
