internal import BFF
internal import Basics
internal import DaVinciClient
internal import HTTPCore
internal import JourneyClient
internal import OpenIDConnect

/// The settings of a client that depend on its product.
struct ReadProduct {
    let settings: ProductSettings
    let openID: OpenIDClientSettings
    let allowed: StartAllowance
    let keepsSession: Bool
}

extension SettingsReader {
    /// Keys that only DaVinci flows have.
    static let ofFlows = ["start", "deviceValue", "persistCookies"]
    /// Keys that only journeys have.
    private static let ofJourneys = [
        "serverUrl", "realm", "journeys", "cookieName", "balancerCookies", "expose", "sessionUpgrade", "forward",
        "requestedWith", "headers", "keepProviderSession",
    ]
    /// The time limit for an answer to a node; the node may call other services for two minutes.
    static let longestNode = Duration.seconds(125)

    /// Reads the settings of a client of DaVinci flows.
    ///
    /// - Returns: nil when they cannot be used, which was reported.
    func readDaVinci(_ section: Section, insecure: Bool) -> ReadProduct? {
        var davinci = DaVinciSettings()
        if let platform = readPlatform(section) { davinci.platform = platform }
        davinci.languages = readLanguages(section.section("languages"))
        section.read("start", .choice(["get": Authorization.Method.get, "post": .post]), into: &davinci.startsBy)
        section.read("deviceValue", ValueForm<DeviceValue>.anyCase, into: &davinci.deviceValue)
        if let names = section.someOf("persistCookies", .cookieName) { davinci.persistCookies = names }
        let openID = readOpenID(section.section("oidc"), discovery: nil, insecure: insecure, isAM: false)
        var allowed = readAllowance(section) { text in
            let name = text.lowercased()
            return StartOptions.isReserved(name) || OpenIDClientSettings.reservedParameters.contains(name)
                || ["prompt", "login_hint", "ui_locales", "id_token_hint"].contains(name)
        }
        let prompt = ValueForm<String>.choice([
            "none": "none", "login": "login", "select_account": "select_account", "consent": "consent",
        ])
        allowed.prompts = Set(section.list("prompts", prompt) ?? [])
        for name in Self.ofJourneys { section.later(name, "is for journeys; this is a client of DaVinci flows") }
        return openID.map {
            ReadProduct(settings: .davinci(davinci), openID: $0, allowed: allowed, keepsSession: false)
        }
    }
}
