import BFF
import BFFAPI
import Basics
import Cryptography
import Discovery
import Foundation
import HTTPClient
import HTTPCore
import HTTPServer
import JOSE
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import Orchestrate
import ProductKit
import SettingsKit
import StorageKit
import Testing

@testable import Cloakroom

@Suite("A good settings file")
struct SettingsReadingTests {
    @Test func `needs little, and gets the safe defaults for the rest`() throws {
        let settings = try SettingsText.read(SettingsText.good).settings
        #expect(settings.listener.address == "127.0.0.1" && settings.listener.port == 8080)
        #expect(settings.admin == nil && settings.store == .memory && settings.log == LogSettings())
        #expect(settings.sessions == BFFSettings() && settings.outbound == HTTPClientSettings())
        #expect(settings.api.publicURL.text == "https://app.example.com/" && settings.api.basePath == "/bff")
        #expect(!settings.api.insecureHTTP && settings.api.trustedPeers.isEmpty)
        let client = try #require(settings.clients.first)
        #expect(client.name == "standard" && client.journey.realm == "alpha" && client.journey.cookieName == nil)
        #expect(client.journey.serverURL.text == "https://tenant.example.com/am")
        #expect(client.journey.sessionUpgrade == .header && client.journey.requestedWith == .pingSDK)
        #expect(client.journey.platform == nil && client.journey.exposed.isEmpty && !client.openID.grantsConsent)
        #expect(client.journey.forward == BrowserForwarding(clientAddress: .withheld, userAgent: .own))
        #expect(client.timeout == .seconds(30) && client.refreshThreshold == .seconds(60) && !client.insecureHTTP)
        #expect(client.allowed == StartAllowance() && client.journey.journeys == ["Login"])
        #expect(client.limits == ClientLimits())
        #expect(client.openID.clientID == "bff" && client.openID.authentication == .basic(Secret("s3cret")))
        #expect(client.openID.scopes == ["openid"] && client.openID.issuer == nil)
        #expect(
            client.openID.discovery.text
                == "https://tenant.example.com/am/oauth2/realms/root/realms/alpha/.well-known/openid-configuration")
    }

    @Test(
        arguments: [
            ("server: {", "server: { drain: 3s,", []),
            ("server: {", "server: { listen: '127.0.0.1:1',", ["server.listen"]),
            ("server: {", "server: { admin: '127.0.0.1:1',", ["server.admin"]),
            ("server: {", "server: { threads: 7,", ["server.threads"]),
            ("server: {", "server: { limits: { idle: 7s },", ["server.limits"]),
            ("clients:", "outbound: { connections: 7 }\nclients:", ["outbound"]),
            ("clients:", "log: { format: json }\nclients:", ["log.format"]),
            ("clients:", "log: { level: debug }\nclients:", []), ("realm: alpha", "realm: beta", []),
        ] as [(String, String, [String])])
    func `tells which changes take a restart`(_ old: String, _ new: String, _ sections: [String]) throws {
        let before = try SettingsText.read(SettingsText.good).settings
        let after = try SettingsText.read(SettingsText.replacing(old, new)).settings
        #expect(before.changesForRestart(in: after, ownsStore: true, followsLevel: true) == sections)
    }

    @Test func `tells that another store takes a restart, but not where the store is the program's own`() throws {
        let before = try SettingsText.read(SettingsText.good).settings
        var after = before
        after.store = .sqlite(path: "x")
        #expect(before.changesForRestart(in: after, ownsStore: true, followsLevel: true) == ["session.store"])
        #expect(before.changesForRestart(in: after, ownsStore: false, followsLevel: true) == [])
    }

    @Test func `tells that another level takes a restart where the logger has one of its own`() throws {
        let before = try SettingsText.read(SettingsText.good).settings
        var after = before
        after.log.level = .debug
        #expect(before.changesForRestart(in: after, ownsStore: true, followsLevel: false) == ["log.level"])
    }

    @Test func `may set everything`() throws {
        let directory = try ScratchDirectory()
        try directory.write("old LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM\n", to: "old.key")
        try directory.write(SettingsSample.authority, to: "ca.pem")
        try directory.write("page", to: "web/index.html")
        try directory.write("from-a-file\r\n", to: "client.secret")
        let settings = try SettingsText.read(SettingsSample.everything, directory: directory.path("")).settings
        directory.remove()

        #expect(settings.listener.address == "::1" && settings.listener.port == 0 && settings.listener.threads == 4)
        #expect(settings.admin?.address == "10.1.2.3" && settings.admin?.port == 9000)
        #expect(settings.drain == .milliseconds(1500))
        #expect(settings.api.publicURL.text == "http://localhost:8080/" && settings.api.insecureHTTP)
        #expect(
            settings.api.basePath == "/auth" && settings.api.csrfHeader == "X-App" && settings.api.csrfValue == "yes")
        #expect(!settings.api.hstsIncludesSubdomains)
        var sources = PageSources()
        sources.scripts = ["https://scripts.example.com"]
        sources.styles = ["https://styles.example.com"]
        sources.calls = ["https://calls.example.com:8443", "https://more.example.com"]
        sources.frames = ["https://frames.example.com"]
        sources.allowsWebAssembly = true
        #expect(settings.api.files != nil && settings.api.pageSources == sources)
        let passkeys = settings.api.passkeys
        #expect(passkeys.relatedOrigins == ["https://shop.example.net", "https://www.example.org:8443"])
        #expect(passkeys.enroll?.text == "http://localhost:8080/new")
        #expect(passkeys.manage?.text == "https://app.example.com/keys?a=b")
        #expect(settings.api.corsOrigins == ["http://localhost:3000"] && settings.api.hosts == ["127.0.0.1:8080"])
        #expect(settings.api.trustedPeers.count == 2)
        #expect(settings.api.answerLimit == 2 << 20 && settings.api.bodyLimit == 8 << 10)
        #expect(settings.api.peerRate == nil && settings.api.sessionRate == RateLimit(burst: 5, perMinute: 6))
        #expect(settings.api.accountRate == RateLimit(burst: 9, perMinute: 10))
        let limits = settings.listener.limits
        #expect(limits.target == 4096 && limits.headerCount == 50 && limits.headerBytes == 32768)
        #expect(limits.body == 2 << 20, "the listener lets pass what the API takes")
        #expect(
            limits.headerTime == .seconds(5) && limits.bodyTime == .seconds(6) && limits.requestTime == .seconds(90))
        #expect(limits.responseTime == .seconds(8) && limits.idle == .seconds(9))
        #expect(limits.responseRate == 1024)
        var callers = CallerLimits()
        (callers.callsPerPeer, callers.callsPerSession) = (11, 12)
        (callers.events, callers.eventsPerPeer) = (17, 18)
        (callers.held, callers.heldPerPeer, callers.heldPerSession) = (13 << 20, 14 << 20, 15 << 20)
        #expect(settings.api.callerLimits == callers)
        #expect(settings.api.callPeerRate == RateLimit(burst: 9, perMinute: 10) && settings.api.callSessionRate == nil)
        #expect(settings.api.newSessionRate == RateLimit(burst: 13, perMinute: 14))
        #expect(settings.sessions.anonymousSessions == 1000 && settings.sessions.heldPolls == 16)
        #expect(settings.authzRate == RateLimit(burst: 11, perMinute: 12))
        #expect(
            settings.sessions.returns.targets.map { "\($0.name) \($0.path)" } == ["shop /shop?from=away", "home /"])
        #expect(settings.clients[0].linkHosts == ["social.example.com", "accounts.example.com:8443"])
        #expect(settings.returnAddresses.map(\.address).first == "http://localhost:8080/auth/standard/return")
        #expect(limits.connections == 100 && limits.connectionsPerPeer == 10)

        #expect(settings.sessions.idle == .seconds(5400) && settings.sessions.absolute == .seconds(86_400))
        #expect(settings.sessions.anonymous == .seconds(300) && settings.sessions.flow == .seconds(1200))
        #expect(settings.sessions.flowsPerInstance == 3 && settings.sessions.accounts == 4)
        #expect(settings.store == .sqlite(path: directory.path("sessions.db")))
        #expect(settings.keys.ids == ["new", "old", "env"])
        #expect(settings.log.level == .debug && settings.log.format == .json && !settings.log.audit)
        #expect(settings.outbound.caFile == directory.path("ca.pem"))
        #expect(settings.outbound.proxy?.text == "http://proxy.example.com:3128/")
        #expect(settings.outbound.connections == 20 && settings.outbound.connectionsPerHost == 10)
        #expect(settings.outbound.waitingRequests == 0 && settings.outbound.connectTimeout == .milliseconds(2500))
        #expect(settings.outbound.bodyLimit == 1 << 20)

        #expect(settings.clients.map(\.name) == ["standard", "transaction", "workforce"])
        let (standard, transaction) = (settings.clients[0], settings.clients[1])
        #expect(standard.journey.cookieName == "iPlanetDirectoryPro" && standard.journey.balancerCookies == ["route"])
        #expect(standard.journey.sessionUpgrade == .parameter && transaction.journey.sessionUpgrade == .header)
        #expect(standard.journey.forward == BrowserForwarding(clientAddress: .xForwardedFor, userAgent: .browser))
        #expect(standard.journey.transactions && !transaction.journey.transactions)
        #expect(standard.journey.requestedWith == .forgerockSDK && transaction.journey.requestedWith == .pingSDK)
        #expect(standard.journey.platform == "web" && standard.journey.exposed == ["contract", "until"])
        #expect(standard.openID.grantsConsent && !transaction.openID.grantsConsent)
        #expect(transaction.journey.forward == BrowserForwarding())
        #expect(standard.journey.languages == LanguagePreference(mode: .override, ["fr-CH", "fr"]))
        #expect(standard.webAuthn.origins == ["https://shop.example.com", "http://localhost:8080"])
        #expect(standard.webAuthn.relyingPartyIDs == ["example.org"] && transaction.webAuthn == WebAuthnSettings())
        #expect(standard.journey.headers.map { "\($0.name): \($0.value)" } == ["X-Tenant: s3cret", "x-app: a b"])
        #expect(transaction.journey.languages == LanguagePreference() && transaction.journey.headers.isEmpty)
        #expect(standard.journey.journeys == ["Login", "Registration"] && standard.allowed.parameters == ["campaign"])
        #expect(standard.allowed.acrValues == ["gold"] && standard.insecureHTTP)
        #expect(standard.timeout == .seconds(75) && standard.refreshThreshold == .seconds(120))
        #expect(standard.keepsSession && !transaction.keepsSession)
        #expect(standard.openID.authentication == .post(Secret("from-a-file")))
        #expect(standard.openID.issuer == "https://issuer.example.com:443/x")
        #expect(standard.openID.discovery.text == "http://tenant.internal/d/.well-known/openid-configuration")
        #expect(standard.openID.scopes == ["openid", "profile"] && standard.openID.acrValues == ["silver"])
        #expect(standard.openID.parameters == ["ui_theme": "dark", "urn:x": "a b"])
        #expect(standard.openID.algorithms == [.ES256] && standard.openID.leeway == .zero)
        #expect(standard.openID.macAlgorithms.isEmpty)
        let endpoints = standard.openID.endpoints
        #expect(endpoints.isAM && endpoints.revocation?.text == "http://tenant.internal/revoke")
        #expect(endpoints.introspection?.text == "http://tenant.internal/introspect")
        #expect(endpoints.endSession?.text == "http://tenant.internal/end")
        #expect(standard.openID.defaultLifetime == .seconds(600) && standard.openID.insecureHTTP)
        #expect(standard.openID.endpointOrigins == ["https://login.example.com"])
        #expect(standard.openID.redirectURI == "https://app.example.com/code")
        #expect(transaction.tokenStorage == "transaction" && transaction.sessionStorage == "shared")
        #expect(transaction.limits == ClientLimits(idle: .seconds(60), absolute: .seconds(300)))
        #expect(transaction.openID.authentication == ClientAuthentication.none)
    }

    @Test func `lets nothing last longer than a session, where it is not said to`() throws {
        let text = SettingsText.good + "\nsession: { idle: 2m, absolute: 2m }"
        let sessions = try SettingsText.read(text).settings.sessions
        #expect(sessions.anonymous == .seconds(120) && sessions.flow == .seconds(120))
    }

    @Test func `takes values from the environment, and shows a dollar when asked to`() throws {
        let text = SettingsText.replacing("clientId: bff", "clientId: a${B}c$${D}e$f")
        let settings = try SettingsText.read(text, environment: ["B": "${C}: x", "SECRET": "s"]).settings
        #expect(settings.clients[0].openID.clientID == "a${C}: xc${D}e$f")
    }

    @Test func `takes a variable after a value that ends in a dollar`() throws {
        let text = SettingsText.replacing("clientId: bff", "clientId: ${B}${C}")
        let settings = try SettingsText.read(text, environment: ["B": "x$", "C": "y", "SECRET": "s"]).settings
        #expect(settings.clients[0].openID.clientID == "x$y")
    }

    @Test func `may repeat a part by its alias, and write true as YAML does`() throws {
        let text = SettingsText.replacing("[Login]", "&names [Login]\n    acrValues: *names\n    insecureHttp: TRUE")
        let client = try #require(try SettingsText.read(text).settings.clients.first)
        #expect(client.journey.journeys == ["Login"] && client.allowed.acrValues == ["Login"] && client.insecureHTTP)
    }

    @Test func `keeps the key of its memory store when it is read again`() throws {
        let source = SettingsSource(path: "cloakroom.yaml", environment: ["SECRET": "s"])
        let macs = try (0..<2).map { _ in
            try source.read(Array(SettingsText.good.utf8), files: SettingsFiles(besides: ""), isPublic: false)
                .reading.settings.keys.authenticationKeys(for: "t")[0].authenticate([1])
        }
        #expect(macs[0] == macs[1])
    }

    @Test func `speaks Ping's protocols for clients that it has`() throws {
        func problems(_ name: String) -> [String] {
            let server = "trustedPeers: [], pingCompatibility: { clients: [\(name)] }"
            return SettingsText.problems(SettingsText.replacing("trustedPeers: []", server))
        }
        #expect(problems("standard") == [])
        #expect(problems("standrad").count == 1 && problems("standrad")[0].contains("pingCompatibility.clients"))
    }

    @Test func `may listen to other machines when one of them is a proxy`() throws {
        func problems(_ server: String) -> [String] {
            SettingsText.problems(SettingsText.replacing("trustedPeers: []", server))
        }
        #expect(problems("listen: 0.0.0.0:8080, trustedPeers: [10.0.0.1]") == [])
        #expect(problems("listen: 0.0.0.0:8080, trustedPeers: [127.0.0.1, 10.0.0.1]") == [])
        #expect(problems("listen: '[::1]:8080', trustedPeers: []") == [])
        #expect(problems("listen: '[::]:8080', trustedPeers: [127.0.0.0/8]").count == 1)
    }

    @Test func `may trust many proxies, and the addresses that nobody has on the Internet`() throws {
        func problems(_ peers: String) -> [String] {
            SettingsText.problems(SettingsText.replacing("trustedPeers: []", "trustedPeers: [\(peers)]"))
        }
        #expect(problems("10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 'fc00::/7', '2001:db8::/32'") == [])
        #expect(problems("'fc00::/6'").count == 1 && problems("10.0.0.0/7").count == 1)
        #expect(problems("'2400::/15'").count == 1 && problems("'2400::/16'") == [])
    }

    @Test func `takes secrets that the owner's group may read, and warns of others where they are allowed`() throws {
        let directory = try ScratchDirectory()
        try directory.write("secret", to: "group", mode: 0o640)
        try directory.write("secret", to: "world", mode: 0o644)
        func warnings(_ new: String, isPublic: Bool = false) throws -> [String] {
            let text = SettingsText.replacing("clientSecret: ${SECRET}", new)
                .replacingOccurrences(of: "server: {", with: "server: { insecureSecretFiles: true,")
            return try SettingsText.read(text, directory: directory.path(""), isPublic: isPublic).warnings.map {
                "\($0)"
            }
        }
        #expect(try warnings("clientSecretFile: group") == [])
        #expect(
            try warnings("clientSecretFile: world") == [
                "cloakroom.yaml:10: clients.standard.oidc.clientSecretFile: others may read or change the file; chmod 600"
            ])
        #expect(try warnings("clientSecret: ${SECRET}", isPublic: true) == [])
        #expect(try warnings("clientSecret: plain") == [])
        #expect(try warnings("clientSecret: plain", isPublic: true).count == 1)
        directory.remove()
    }

    @Test func `lets the listener take what its routes take, and no route promise more time than it has`() throws {
        let routes = """

            routes:
              - { path: /a, upstream: https://a, methods: POST, require: none, limits: { body: 3MiB } }
              - { path: /b, upstream: https://b, methods: POST, require: none, limits: { time: 20s } }
            """
        let text = SettingsText.good.replacingOccurrences(
            of: "server: {", with: "server: { limits: { requestTime: 25s },")
        let settings = try SettingsText.read(text + routes).settings
        #expect(settings.listener.limits.body == 3 << 20)
        #expect(settings.routes.map(\.timeout) == [.seconds(25), .seconds(20)])
    }

    @Test(
        "refuses a secret file that has no line, more than one, or too much",
        arguments: [
            ("", "the file does not have one line of text"), ("\n", "the file does not have one line of text"),
            ("a\nb", "the file does not have one line of text"), ("a\n\n", "the file does not have one line of text"),
            (String(repeating: "a", count: 4097), "the file is longer than 4KiB"),
        ])
    func secretFiles(content: String, message: String) throws {
        let directory = try ScratchDirectory()
        try directory.write(content, to: "secret")
        let text = SettingsText.replacing("clientSecret: ${SECRET}", "clientSecretFile: secret")
        let expected = ["10: clients.standard.oidc.clientSecretFile: \(message)"]
        #expect(SettingsText.problems(text, directory: directory.path("")) == expected)
        directory.remove()
    }

    @Test func `takes algorithms with a shared secret, and a secret as it is`() throws {
        let long = String(repeating: "s:+%", count: 16)
        let text = SettingsText.replacing(
            "clientSecret: ${SECRET}",
            "clientSecret: '\(long)'\n      clientAuthentication: client_secret_basic_raw\n      algorithms: [HS256, HS512]"
        )
        let openID = try SettingsText.read(text).settings.clients[0].openID
        #expect(openID.algorithms.isEmpty && openID.macAlgorithms == [.HS256, .HS512])
        guard case .basicRaw(let secret) = openID.authentication else {
            Issue.record("the secret is not taken as it is")
            return
        }
        #expect(secret.reveal() == long)
    }

    @Test(arguments: ["/", "root", "/root"])
    func `takes these for the root realm, whose document lies below oauth2`(realm: String) throws {
        let client = try SettingsText.read(SettingsText.replacing("realm: alpha", "realm: \(realm)")).settings.clients[
            0]
        #expect(
            client.openID.discovery.text
                == "https://tenant.example.com/am/oauth2/.well-known/openid-configuration")
        #expect(client.openID.endpoints == StatedEndpoints(isAM: true))
    }
}
