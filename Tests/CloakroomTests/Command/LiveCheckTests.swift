import Basics
import Discovery
import HTTPCore
import IdentitySimulator
import Logs
import OpenIDConnect
import StorageKit
import TestSupport
import Testing

@testable import Cloakroom

@Suite("A live check")
struct LiveCheckTests {
    private let logger = RecordedLog().logger("check")

    /// The findings about settings with one client of a simulated provider.
    private func findings(
        store: StoreSettings = .memory, simulate: Bool = true, _ change: (inout ClientSettings) -> Void = { _ in }
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
        change(&settings.clients[0])
        if !simulate { await simulator.stop() }
        let findings = try await checkLive(settings, logger: logger)
        if simulate { await simulator.stop() }
        return findings
    }

    @Test func `finds store, discovery, keys and cookie in order`() async throws {
        #expect(
            try await findings()
                == [
                    "session.store", "clients.standard: discovery", "clients.standard: keys",
                    "clients.standard: revocation", "clients.standard: introspection",
                    "clients.standard: session cookie",
                ].map { LiveFinding(subject: $0, failure: nil) })
    }

    @Test func `tells that the provider cannot be reached`() async throws {
        let failures = try await findings(simulate: false).map(\.failure)
        #expect(
            failures == [
                nil, "the provider cannot be reached (connect)", "the provider cannot be reached (connect)",
            ])
    }

    @Test func `tells a wrong realm, issuer and cookie name`() async throws {
        let realm = try await findings { client in
            client.openID.discovery.path = "/am/oauth2/realms/root/realms/nowhere/.well-known/openid-configuration"
        }
        #expect(realm.map(\.failure) == [nil, "the provider answers with status 404", nil])
        let name = Locked("")
        let issuer = try await findings { client in
            name.withLock { $0 = client.openID.issuer ?? "" }
            client.openID.issuer = "https://other.example.com"
        }
        let issuerName = name.withLock { $0 }
        #expect(
            issuer.map(\.failure)
                == [
                    nil,
                    "the document names the issuer \(issuerName), expected https://other.example.com; if that is right, set "
                        + "oidc.issuer: \(issuerName)", nil,
                ])
        let cookie = try await findings { $0.cookieName = "otherCookie" }
        #expect(
            cookie.map(\.failure) == [nil, nil, nil, nil, nil, "AM's session cookie has another name than cookieName"])
        let path = try await findings { $0.serverURL.path = "/elsewhere" }
        #expect(path.last?.failure == "serverinfo answers with status 404")
    }

    @Test func `tells that the provider does not know the client, or has nothing where it should`() async throws {
        func outcome(_ change: (inout OpenIDClientSettings) -> Void) async throws -> [LiveFinding] {
            try await findings { change(&$0.openID) }.filter {
                $0.subject.hasSuffix("revocation") || $0.subject.hasSuffix("introspection")
            }
        }
        let secret = try await outcome { $0.authentication = .basic(Secret("wrong:secret")) }
        let fault = try #require(secret[0].failure)
        #expect(fault.hasPrefix("the provider does not know oidc.clientId or not its secret"))
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
