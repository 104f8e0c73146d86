import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import IdentitySimulator
import JOSE
import Logs
import OpenIDConnect
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("A live check")
struct LiveCheckTests {
    private let logger = RecordedLog().logger("check")

    /// The findings about settings with one client of a simulated provider.
    private func findings(
        store: StoreSettings = .memory, simulate: Bool = true, _ change: (inout ClientSettings) -> Void = { _ in },
        all: (inout Settings, Simulator) throws -> Void = { _, _ in }
    ) async throws -> [LiveFinding] {
        let simulator = try Simulator(SimulatorSettings(), time: SystemTime(), logger: logger)
        try simulator.start()
        let url = try #require(WebURL(simulator.serverURL))
        var settings = try SettingsText.read(
            SettingsText.replacing("https://tenant.example.com/am", url.text)
        ).settings
        settings.store = store
        settings.clients[0].openID.discovery = try #require(WebURL(simulator.discoveryURL))
        settings.clients[0].openID.issuer = simulator.issuer
        settings.clients[0].openID.authentication = .basic(Secret("s/ecret+1"))
        settings.clients[0].openID.redirectURI = "https://app.example.com/callback"
        change(&settings.clients[0])
        try all(&settings, simulator)
        if !simulate { await simulator.stop() }
        let findings = try await checkLive(settings, logger: logger)
        if simulate { await simulator.stop() }
        return findings
    }

    /// What failed, by what was tried.
    private func failures(_ change: (inout ClientSettings) -> Void) async throws -> [String: String] {
        let found = try await findings(change)
        return Dictionary(uniqueKeysWithValues: found.compactMap { item in item.failure.map { (item.subject, $0) } })
    }

    @Test func `finds everything that it tries right, in order`() async throws {
        let parts = [
            "discovery", "keys", "session cookie", "journey Login", "client", "redirect URI and scopes", "revocation",
            "introspection",
        ]
        #expect(
            try await findings()
                == (["session.store"] + parts.map { "clients.standard: \($0)" }).map {
                    LiveFinding(subject: $0, failure: nil)
                })
    }

    @Test func `tells that the provider cannot be reached`() async throws {
        let failures = try await findings(simulate: false).map(\.failure)
        #expect(
            failures == [
                nil, "the provider cannot be reached (connect)", "the provider cannot be reached (connect)",
            ])
    }

    @Test func `tells a wrong realm, issuer and cookie name`() async throws {
        let realm = try await failures { client in
            client.openID.discovery.path = "/am/oauth2/realms/root/realms/nowhere/.well-known/openid-configuration"
        }
        #expect(realm == ["clients.standard: discovery": "the provider answers with status 404"])
        let issuer = try await failures {
            $0.openID.issuer = "https://other.example.com"
        }
        #expect(issuer.keys.sorted() == ["clients.standard: discovery"])
        #expect(issuer.values.first?.contains("oidc.issuer") == true)
        let cookie = try await failures {
            $0.cookieName = "otherCookie"
        }
        #expect(
            cookie == [
                "clients.standard: session cookie":
                    "AM's session cookie has another name than cookieName; leave cookieName out, or correct it"
            ])
        let path = try await failures {
            $0.serverURL.path = "/elsewhere"
        }
        #expect(
            path == [
                "clients.standard: session cookie":
                    "serverinfo answers with status 404; correct serverUrl (with the deployment path) or realm"
            ])
    }

    @Test func `tells a journey that AM does not have, by its name, and the others that it has`() async throws {
        let found = try await failures {
            $0.allowed = StartAllowance(journeys: ["Login", "NoSuch", "Kitchen"])
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

    @Test func `tells a wrong secret, an unknown client and a wrong way to show the secret`() async throws {
        let secret = try await failures {
            $0.openID.authentication = .basic(Secret("wrong"))
        }
        #expect(
            secret == ["clients.standard: client": Self.refused, "clients.standard: revocation": Self.refused])
        let client = try await failures {
            $0.openID.clientID = "nobody"
        }
        #expect(client["clients.standard: client"] == Self.refused)
        #expect(client["clients.standard: redirect URI and scopes"]?.contains("is the client registered") == true)
        let method = try await failures {
            $0.openID.authentication = .post(Secret("s/ecret+1"))
        }
        #expect(method["clients.standard: client"] == Self.refused)
    }

    @Test func `tells a redirect URI that is not registered and scopes that are not allowed`() async throws {
        let advice =
            "register the redirect URI https://app.example.com/other letter for letter, or correct oidc.redirectUri"
        let redirect = try await failures {
            $0.openID.redirectURI = "https://app.example.com/other"
        }
        #expect(redirect["clients.standard: redirect URI and scopes"]?.contains(advice) == true, "\(redirect)")
        let scopes = try await failures {
            $0.openID.scopes = ["openid", "nonsense"]
        }
        #expect(
            scopes == [
                "clients.standard: redirect URI and scopes":
                    "the provider refuses the scopes; allow them to the client, or correct oidc.scopes"
            ])
    }

    @Test func `tells an issuer of another name and credentials that may not ask about tokens`() async throws {
        func issuer(_ simulator: Simulator, _ name: String, secret: String) throws -> TrustedIssuer {
            try TrustedIssuer(
                issuer: name, discovery: try #require(WebURL(simulator.discoveryURL)), profile: .am, clients: ["bff"],
                mode: .both(IntrospectionSettings(clientID: "bff", clientSecret: Secret(secret))))
        }
        let found = try await findings(all: { settings, simulator in
            settings.issuers = [
                try issuer(simulator, simulator.issuer, secret: "s/ecret+1"),
                try issuer(simulator, simulator.issuer, secret: "wrong"),
                try issuer(simulator, "https://other.example.com", secret: "s/ecret+1"),
            ]
        }).suffix(7)
        #expect(
            found.map(\.subject) == [
                "issuers[0]: discovery", "issuers[0]: keys", "issuers[0]: introspection", "issuers[1]: discovery",
                "issuers[1]: keys", "issuers[1]: introspection", "issuers[2]: discovery",
            ])
        #expect(found.prefix(5).allSatisfy { $0.failure == nil }, "\(found)")
        #expect(found.dropFirst(5).first?.failure?.contains("introspection.clientSecret") == true)
        #expect(
            found.last?.failure?.contains("another issuer") == true || found.last?.failure?.contains("names") == true)
    }

    @Test func `tells an API that is not there, and is content with any answer of one that is`() async throws {
        let gone = try Simulator(SimulatorSettings(), time: SystemTime(), logger: logger)
        try gone.start()
        let closed = try #require(WebURL(gone.serverURL + "/b"))
        await gone.stop()
        let found = try await findings(all: { settings, simulator in
            let route = RouteDefinition(id: "/api", clients: ["standard"], demand: .none)
            settings.routes = [
                RouteSettings(
                    path: "/api/a", upstream: try #require(WebURL(simulator.serverURL + "/nowhere")), methods: [.get],
                    route: route),
                RouteSettings(
                    path: "/api/b", upstream: closed, methods: [.get], route: route),
            ]
        }).suffix(2)
        #expect(
            Array(found) == [
                LiveFinding(subject: "routes[0]: upstream", failure: nil),
                LiveFinding(
                    subject: "routes[1]: upstream",
                    failure: "the API cannot be reached (connect); correct upstream, or start it"),
            ])
    }

    @Test func `tells that the provider does not know the client, or has nothing where it should`() async throws {
        func outcome(_ change: (inout OpenIDClientSettings) -> Void) async throws -> [LiveFinding] {
            try await findings { change(&$0.openID) }.filter {
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

    @Test func `tries a store file without making one`() async throws {
        let directory = try ScratchDirectory()
        let path = directory.path("sessions.db")
        #expect(await LiveCheck.store(.sqlite(path: path), logger).failure == nil)
        #expect(throws: (any Error).self) { try directory.mode(of: "sessions.db") }
        let nowhere = StoreSettings.sqlite(path: directory.path("no/sessions.db"))
        #expect(await LiveCheck.store(nowhere, logger).failure != nil)
        try directory.write(String(repeating: "no database", count: 500), to: "other")
        #expect(
            await LiveCheck.store(.sqlite(path: directory.path("other")), logger).failure
                == "the file cannot be used: file is not a database")
        directory.remove()
    }
}
