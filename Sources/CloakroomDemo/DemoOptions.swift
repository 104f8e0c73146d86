import Arguments
import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import Logs

/// The options of the demo's command line.
struct DemoOptions {
    static let port = Parameter.option(
        "port", .port, "PORT", default: "8080", help: "The port of Cloakroom; 0 takes a free one.")
    static let adminPort = Parameter.option(
        "admin-port", .port, "PORT", default: "8081",
        help: "The port of the admin listener with /healthz and /readyz; 0 takes a free one.")
    static let adminToken = Parameter.option(
        "admin-token-file", .path, "FILE", completion: .files,
        help: "A file with the token of operators, 32 characters or more; without one no sessions are listed or ended.")
    static let simulatorPort = Parameter.option(
        "simulator-port", .port, "PORT", default: "8090",
        help: "The port of the identity simulator; 0 takes a free one.")
    static let ledgerPort = Parameter.option(
        "ledger-port", .port, "PORT", default: "8091", help: "The port of the sample ledger API; 0 takes a free one.")
    static let elevatedLimit = Parameter.option(
        "elevated-limit", .duration(.seconds(1) ... .seconds(365 * 86_400)), "DURATION", default: "5m",
        help: "How long the token of a step-up lives, as in 30s.")
    static let dialect = Parameter.option(
        "dialect", ValueForm<SimulatedDialect>.anyCase, "DIALECT", default: "ping",
        help: "Which product the identity simulator imitates: PingAM as documented, or OpenAM 16 as observed.")
    static let emptyTokenID = Parameter.option(
        "empty-token-id", ValueForm<PingSwitches.EmptyTokenID>.anyCase, "WHEN", default: "never",
        help:
            "With ping: which successful answers have an empty tokenId: none, those to calls that bring a session, or all."
    )
    static let authorize401 = Parameter.flag(
        "authorize-401", help: "With ping: authorize answers 401 without a living session, instead of a redirect.")
    static let clientSideSessions = Parameter.flag(
        "client-side-sessions", help: "With ping: provider sessions end by their time only, whatever logout answers.")
    static let idpSignOff = Parameter.flag(
        "idp-signoff",
        help: "Lets PingOne end sessions at idpSignoff by an ID token, as it does for applications that allow that.")
    static let relyingParty = Parameter.option(
        "relying-party", .relyingParty, "HOST",
        help: "The relying party of passkeys at the identity simulator; without it the host that is asked for.")
    static let redirectURI = Parameter.option(
        "redirect-uri", .redirectURI, "URI",
        help: "A redirect URI that all clients of the identity simulator have beside their own.")
    static let corsOrigin = Parameter.option(
        "cors-origin", .corsOrigin, "URL",
        help:
            "The origin of an app's dev server on localhost whose pages may call the demo, as in http://localhost:5173."
    )
    static let publicURL = Parameter.option(
        "public-url", .publicURL, "URL",
        help: "The address by which browsers reach the demo if that is a proxy's; without it http://localhost:PORT."
    )
    static let store = Parameter.option(
        "store", .demoStore, "STORE", default: "memory",
        help: "Where sessions are kept: memory, or sqlite:PATH to keep them over a restart.")
    static let key = Parameter.option(
        "key", .path, "FILE", completion: .files,
        help: "A key file of 'cloakroom keygen'; without one a new key is made at each start.")
    static let files = Parameter.option(
        "files", .path, "FOLDER", completion: .files,
        help: "The folder of an app that is served at /; without one .build/web, the sample app, if make demo built it."
    )
    static let json = Parameter.flag(
        "json", help: "Prints one line 'ready {…}' with the addresses as JSON instead of the instructions.")
    static let logLevel = Parameter.option(
        "log-level", .level, "LEVEL", default: "notice", help: "The least level that is logged.")

    let port: UInt16
    let adminPort: UInt16
    let adminToken: String?
    let simulatorPort: UInt16
    let ledgerPort: UInt16
    let elevatedLimit: Duration
    let dialect: SimulatedDialect
    let ping: PingSwitches
    let idpSignOff: Bool
    let relyingParty: String?
    let redirectURI: String?
    let corsOrigin: String?
    let publicURL: WebURL?
    let store: StoreSettings
    let key: String?
    let files: String?
    let json: Bool
    let logLevel: Logger.Level

    init(_ given: ArgumentValues) {
        port = given[Self.port]
        adminPort = given[Self.adminPort]
        adminToken = given[Self.adminToken]
        simulatorPort = given[Self.simulatorPort]
        ledgerPort = given[Self.ledgerPort]
        elevatedLimit = given[Self.elevatedLimit]
        dialect = given[Self.dialect]
        var ping = PingSwitches()
        ping.emptyTokenID = given[Self.emptyTokenID]
        ping.authorize401 = given[Self.authorize401]
        ping.clientSideSessions = given[Self.clientSideSessions]
        self.ping = ping
        idpSignOff = given[Self.idpSignOff]
        relyingParty = given[Self.relyingParty]
        redirectURI = given[Self.redirectURI]
        corsOrigin = given[Self.corsOrigin]
        publicURL = given[Self.publicURL]
        store = given[Self.store]
        key = given[Self.key]
        files = given[Self.files]
        json = given[Self.json]
        logLevel = given[Self.logLevel]
    }
}

extension ValueForm where Value == String {
    fileprivate static var relyingParty: Self {
        ValueForm(expected: "a host like example.com") { WebURL("https://" + $0)?.host == $0 ? $0 : nil }
    }

    /// Accepts origins of localhost only: browsers send the demo's cookie to pages of its own site alone.
    fileprivate static var corsOrigin: Self {
        ValueForm(expected: "an origin of localhost like http://localhost:5173, without a path") { text in
            guard let url = WebURL(text), url.host == "localhost", url.origin == text else { return nil }
            return text
        }
    }

    fileprivate static var redirectURI: Self {
        ValueForm(expected: "an http or https address") { WebURL($0) == nil ? nil : $0 }
    }
}

extension ValueForm where Value == WebURL {
    /// Accepts what browsers keep the session cookie for: https, and http on this machine.
    fileprivate static var publicURL: Self {
        ValueForm(expected: "an address like https://demo.example.com, without a path") { text in
            guard let url = WebURL(text), url.origin == text, url.scheme == .https || url.isLoopback else { return nil }
            return url
        }
    }
}

extension ValueForm where Value == StoreSettings {
    fileprivate static var demoStore: Self {
        ValueForm(expected: "memory or sqlite:PATH") { text in
            if text == "memory" { return .memory }
            guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else { return nil }
            return .sqlite(path: String(text.dropFirst(7)))
        }
    }
}
