import Basics
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
        let issuer = try await findings { $0.openID.issuer = "https://other.example.com" }
        #expect(
            issuer.map(\.failure)
                == [nil, "the document belongs to another issuer; set oidc.issuer if that is right", nil])
        let cookie = try await findings { $0.cookieName = "otherCookie" }
        #expect(cookie.map(\.failure) == [nil, nil, nil, "AM's session cookie has another name than cookieName"])
        let path = try await findings { $0.serverURL.path = "/elsewhere" }
        #expect(path.last?.failure == "serverinfo answers with status 404")
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
