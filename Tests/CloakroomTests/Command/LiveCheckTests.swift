import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import HTTPServer
import IdentitySimulator
import JOSE
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom
@testable import ProductKit

@Suite("A live check")
struct LiveCheckTests {
    private let logger = RecordedLog().logger("check")

    /// The findings about settings with one client of a simulated provider.
    func findings(
        _ dialect: SimulatedDialect, store: StoreSettings = .memory, simulate: Bool = true,
        _ change: (inout ClientSettings) -> Void = { _ in },
        all: (inout Settings, Simulator) throws -> Void = { _, _ in }
    ) async throws -> [LiveFinding] {
        var provider = SimulatorSettings(dialect)
        provider.keepsRequests = true
        let simulator = try Simulator(provider, time: SystemTime(), logger: logger)
        try simulator.start()
        let url = try #require(WebURL(simulator.serverURL))
        var settings = try SettingsText.read(
            SettingsText.replacing("https://tenant.example.com/am", url.text)
        ).settings
        settings.store = store
        settings.clients[0].openID.discovery = try #require(WebURL(simulator.discoveryURL))
        settings.clients[0].openID.issuer = simulator.issuer
        settings.clients[0].openID.authentication = dialect.authentication("s/ecret+1")
        settings.clients[0].openID.redirectURI = "https://app.example.com/callback"
        settings.clients[0].journey.sessionUpgrade = dialect.sessionUpgrade
        change(&settings.clients[0])
        try all(&settings, simulator)
        if !simulate { await simulator.stop() }
        let findings = try await checkLive(settings, logger: logger)
        if simulate { await simulator.stop() }
        return findings
    }

    /// What failed, by what was tried.
    func failures(
        _ dialect: SimulatedDialect, _ change: (inout ClientSettings) -> Void = { _ in },
        _ fault: (Simulator) -> Void = { _ in }
    ) async throws -> [String: String] {
        let found = try await findings(dialect, change, all: { _, simulator in fault(simulator) })
        return Dictionary(uniqueKeysWithValues: found.compactMap { item in item.failure.map { (item.subject, $0) } })
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `finds everything that it tries right, in order`(_ dialect: SimulatedDialect) async throws {
        let parts = [
            "discovery", "keys", "session cookie", "journey Login", "client", "redirect URI and scopes", "revocation",
            "introspection",
        ]
        #expect(
            try await findings(dialect)
                == (["session.store"] + parts.map { "clients.standard: \($0)" }).map {
                    LiveFinding(subject: $0, failure: nil)
                })
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `begins journeys as sign-ins do: from the origin and with the SDK that the settings name`(
        _ dialect: SimulatedDialect
    ) async throws {
        var asked: Simulator?
        let findings = try await findings(dialect, { $0.journey.requestedWith = .forgerockSDK }, all: { asked = $1 })
        #expect(findings.allSatisfy { $0.failure == nil })
        let started = try #require(asked).requests.filter { $0.target.contains("/authenticate") }
        #expect(started.map { $0.headers.values("x-requested-with") } == [["forgerock-sdk"]])
        #expect(started.map { $0.headers.values("origin") } == [["https://app.example.com"]])
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells that the provider cannot be reached`(_ dialect: SimulatedDialect) async throws {
        var place = ""
        let found = try await findings(
            dialect, simulate: false,
            all: { settings, _ in place = "127.0.0.1:\(settings.clients[0].journey.serverURL.port)" })
        func fault(_ correct: String) -> String {
            "nothing listens at \(place); correct \(correct), or outbound.proxy"
        }
        let subjects = [
            "discovery", "session cookie", "journeys", "keys, client, redirect URI and scopes, revocation",
        ]
        #expect(found.map(\.subject) == ["session.store"] + subjects.map { "clients.standard: \($0)" })
        #expect(
            found.map(\.failure) == [
                nil, fault("serverUrl, realm or oidc.discovery"), fault("serverUrl"), nil, nil,
            ])
        #expect(found.map(\.warning) == [nil, nil, nil, "not tried", "not tried"])
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells a wrong realm, issuer and cookie name`(_ dialect: SimulatedDialect) async throws {
        let realm = try await failures(dialect) { client in
            client.openID.discovery.path = "/am/oauth2/realms/root/realms/nowhere/.well-known/openid-configuration"
        }
        #expect(realm.keys.sorted() == ["clients.standard: discovery"])
        let said = try #require(realm.values.first)
        #expect(said.hasPrefix("http://127.0.0.1:") && said.contains("/realms/nowhere/"), "\(said)")
        #expect(said.hasSuffix(" answers with status 404; correct serverUrl, realm or oidc.discovery"), "\(said)")
        let issuer = try await failures(dialect) {
            $0.openID.issuer = "https://other.example.com"
        }
        #expect(issuer.keys.sorted() == ["clients.standard: discovery"])
        #expect(issuer.values.first?.contains("oidc.issuer") == true)
        let cookie = try await failures(dialect) {
            $0.journey.cookieName = "otherCookie"
        }
        #expect(
            cookie == [
                "clients.standard: session cookie":
                    "AM's session cookie has another name than cookieName; leave cookieName out, or correct it"
            ])
        let path = try await failures(dialect) {
            $0.journey.serverURL.path = "/elsewhere"
        }
        #expect(
            path == [
                "clients.standard: session cookie":
                    "serverinfo answers with status 404; correct serverUrl (with the deployment path) or realm"
            ])
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells a journey that AM does not have, by its name, and the others that it has`(
        _ dialect: SimulatedDialect
    ) async throws {
        let found = try await failures(dialect) {
            $0.journey.journeys = ["Login", "NoSuch", "Kitchen"]
        }
        #expect(
            found == [
                "clients.standard: journey NoSuch":
                    "AM does not begin it (No Configuration found); correct journeys, or make a journey or chain of this name "
                    + "in the realm"
            ])
    }

    private static let refused =
        "the provider does not know the client or refuses its secret; correct oidc.clientId, oidc.clientSecret or "
        + "oidc.clientAuthentication"

    @Test(arguments: SimulatedDialect.allCases)
    func `tells a wrong secret, an unknown client and a wrong way to show the secret`(
        _ dialect: SimulatedDialect
    ) async throws {
        let secret = try await failures(dialect) {
            $0.openID.authentication = dialect.authentication("wrong")
        }
        #expect(
            secret == ["clients.standard: client": Self.refused, "clients.standard: revocation": Self.refused])
        let client = try await failures(dialect) {
            $0.openID.clientID = "nobody"
            $0.openID.authentication = dialect.authentication("wrong")
        }
        #expect(
            client == [
                "clients.standard: client": Self.refused, "clients.standard: revocation": Self.refused,
                "clients.standard: redirect URI and scopes":
                    "the provider refuses the request (400 invalid_client); register and activate the client; "
                    + Self.register("https://app.example.com/callback"),
            ])
        let method = try await failures(dialect) {
            $0.openID.authentication = .post(Secret("s/ecret+1"))
        }
        // OpenAM looks at the method at the token endpoint alone.
        #expect(method["clients.standard: client"] == Self.refused)
        #expect(method["clients.standard: revocation"] == (dialect == .openam ? nil : Self.refused))
        #expect(method.count == (dialect == .openam ? 1 : 2), "\(method)")
    }

    private static func register(_ address: String) -> String {
        "register the redirect URI \(address) letter for letter, or correct oidc.redirectUri"
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `says of a secret with special characters that it may be sent otherwise`(
        _ dialect: SimulatedDialect
    ) async throws {
        let other = dialect == .openam ? "client_secret_basic_raw" : "client_secret_basic"
        let found = try await failures(dialect) {
            let secret = Secret("s/ecret+1")
            $0.openID.authentication = dialect == .openam ? .basic(secret) : .basicRaw(secret)
        }
        #expect(found.keys.sorted() == ["clients.standard: client", "clients.standard: revocation"])
        for said in found.values {
            #expect(said.hasPrefix(Self.refused) && said.hasSuffix("; try clientAuthentication: \(other)"), "\(said)")
        }
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells a redirect URI that is not registered and scopes that are not allowed`(
        _ dialect: SimulatedDialect
    ) async throws {
        let redirect = try await failures(dialect) {
            $0.openID.redirectURI = "https://app.example.com/other"
        }
        let advice = Self.register("https://app.example.com/other")
        var expected = ["clients.standard: redirect URI and scopes": advice]
        // OpenAM looks at the address before it looks at the code.
        if dialect == .openam { expected["clients.standard: client"] = advice }
        #expect(redirect == expected)
        let scopes = try await failures(dialect) {
            $0.openID.scopes = ["openid", "nonsense"]
        }
        #expect(
            scopes == [
                "clients.standard: redirect URI and scopes":
                    "the provider refuses the scopes; allow them to the client, or correct oidc.scopes"
            ])
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells an API that is not there, and is content with any answer of one that is`(
        _ dialect: SimulatedDialect
    ) async throws {
        let gone = try Simulator(SimulatorSettings(), time: SystemTime(), logger: logger)
        try gone.start()
        let closed = try #require(WebURL(gone.serverURL + "/b"))
        await gone.stop()
        let found = try await findings(
            dialect,
            all: { settings, simulator in
                let route = RouteDefinition(id: "/api", clients: ["standard"], demand: .none)
                settings.routes = [
                    RouteSettings(
                        path: "/api/a", upstream: try #require(WebURL(simulator.serverURL + "/nowhere")),
                        methods: [.get],
                        route: route),
                    RouteSettings(
                        path: "/api/b", upstream: closed, methods: [.get], route: route),
                ]
            }
        ).suffix(2)
        #expect(
            Array(found) == [
                LiveFinding(subject: "routes[0]: upstream", failure: nil),
                LiveFinding(
                    subject: "routes[1]: upstream",
                    failure: "nothing listens at 127.0.0.1:\(closed.port); correct upstream, start the API, or "
                        + "outbound.proxy"),
            ])
    }

    @Test(arguments: SimulatedDialect.allCases)
    func `tells that the provider does not know the client, or has nothing where it should`(
        _ dialect: SimulatedDialect
    ) async throws {
        func outcome(_ change: (inout OpenIDClientSettings) -> Void) async throws -> [LiveFinding] {
            try await findings(dialect) { change(&$0.openID) }.filter {
                $0.subject.hasSuffix("revocation") || $0.subject.hasSuffix("introspection")
            }
        }
        let secret = try await outcome { $0.authentication = .basic(Secret("wrong:secret")) }
        let fault = try #require(secret[0].failure)
        #expect(fault.hasPrefix(Self.refused))
        #expect(fault.contains("client_secret_basic_raw") && !fault.contains("wrong:secret"))
        #expect(secret[1].failure == nil && secret[1].warning == fault)
        let moved = try await outcome { settings in
            settings.endpoints.revocation = settings.discovery.appending(path: "/nothing")
            settings.endpoints.introspection = settings.discovery.appending(path: "/nothing")
        }
        #expect(moved[0].failure == "the provider has nothing there (status 404); set oidc.revocationEndpoint")
        #expect(moved[1].warning == "the provider has nothing there (status 404); set oidc.introspectionEndpoint")
    }

    @Test func `warns of a provider without revocation`() async throws {
        let network = ScriptedTransport()
        let base = "https://op.example.com"
        network.on(
            .get, base + "/.well-known/openid-configuration",
            answering: .json(
                #"{"issuer":"\#(base)","authorization_endpoint":"\#(base)/a","token_endpoint":"\#(base)/t","jwks_uri":"\#(base)/k"}"#
            ))
        let settings = OpenIDClientSettings(
            discovery: try #require(WebURL(base + "/.well-known/openid-configuration")), clientID: "c",
            authentication: .none, scopes: ["openid"], redirectURI: base)
        let directory = ProviderDirectory(transport: network, time: SystemTime())
        let check = EndpointCheck(
            client: OpenIDClient(settings, directory: directory, transport: network), deadline: .now + .seconds(10))
        guard case .warning(let text) = await check.revocation() else {
            Issue.record("no warning")
            return
        }
        #expect(text.contains("stay good there; set oidc.revocationEndpoint"))
        #expect(await check.introspection() == nil)
    }

    @Test(
        arguments: [
            (
                ExchangeError.tls,
                "no TLS 1.2 or newer is spoken at am.example.com:443, or its certificate is unfit; correct serverUrl"
            ),
            (
                .certificateExpired,
                "the certificate of am.example.com:443 has expired or is not valid yet; renew it there, or correct the "
                    + "clock of this machine"
            ),
            (
                .certificateHost,
                "the certificate of am.example.com:443 is for other host names; correct serverUrl, or have "
                    + "am.example.com added to it"
            ),
            (
                .certificateAuthority,
                "the certificate of am.example.com:443 is of an authority that is not trusted here; name your CA's file "
                    + "in outbound.caFile"
            ),
            (.resolve, "the name am.example.com is not known; correct serverUrl, or outbound.proxy"),
            (.connect, "nothing listens at am.example.com:443; correct serverUrl, or outbound.proxy"),
            (.timeout, "am.example.com:443 does not answer in time; correct serverUrl, or outbound.proxy"),
            (.malformed, "am.example.com:443 gives no usable answer (malformed)"),
        ] as [(ExchangeError, String)])
    func `says of each fault where it is and what to change`(_ fault: ExchangeError, _ sentence: String) throws {
        let url = try #require(WebURL("https://am.example.com/am"))
        #expect(LiveCheck.sentence(.notReached(fault), at: url) == sentence)
    }

    @Test func `tries a store file without making one`() async throws {
        let directory = try ScratchDirectory()
        let path = directory.path("sessions.db")
        #expect(await StoreSettings.sqlite(path: path).trial(logger) == nil)
        #expect(throws: (any Error).self) { try directory.mode(of: "sessions.db") }
        let nowhere = StoreSettings.sqlite(path: directory.path("no/sessions.db"))
        #expect(
            await nowhere.trial(logger)
                == "the directory \(directory.path("no/")) does not exist or is read-only")
        try directory.write(String(repeating: "no database", count: 500), to: "other")
        #expect(
            await StoreSettings.sqlite(path: directory.path("other")).trial(logger)
                == "the file cannot be used: file is not a database")
        directory.remove()
    }
}
