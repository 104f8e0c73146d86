import HTTPCore
import JSON
import Testing

@Suite("At a real AM, check --live", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct CheckLiveTests {
    /// What the check says of a configuration that was changed.
    private func check(
        _ change: (inout LiveConfiguration) -> Void
    ) async throws -> (lines: [String], status: Int32?) {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(settings, settings.standard),
            LiveConfiguration.client(
                settings, settings.transaction, name: "transaction", journeys: [settings.stepUp],
                more: ["tokenStorage: transaction"]),
        ]
        configuration.issuers = [
            AuthzLiveTests.entry(settings, issuer: try await am.issuer("/"), settings.standard, mode: "both")
        ]
        change(&configuration)
        var outcome: (lines: [String], status: Int32?) = ([], nil)
        try await LiveServer.run(configuration) { outcome = try await $0.check() }
        return outcome
    }

    @Test func `finds nothing wrong where everybody can sign in`() async throws {
        let said = try await check { _ in }
        #expect(said.status == 0, "\(said.lines)")
        let results = said.lines.filter { !$0.contains(": returns to ") }
        #expect(results.count > 12 && results.allSatisfy { $0.hasSuffix(": ok") }, "\(said.lines)")
    }

    /// One thing that is wrong, and the line that has to say so.
    private static let faults: [(String, String, @Sendable (inout LiveConfiguration) -> Void)] = [
        ("secret", "clients.standard: client", { $0.clients[0].oauth.secret = "not-the-secret" }),
        ("client id", "clients.standard: client", { $0.clients[0].oauth.id = "no-such-client" }),
        (
            "way to show the secret", "clients.standard: client",
            { $0.clients[0].oidc = ["clientAuthentication: client_secret_post"] }
        ),
        ("issuer", "clients.standard: discovery", { $0.clients[0].oidc = ["issuer: http://other.example.com"] }),
        ("cookie's name", "clients.standard: session cookie", { $0.clients[0].more = ["cookieName: other"] }),
        (
            "revocation", "clients.standard: revocation",
            { $0.clients[0].oidc = ["revocationEndpoint: \($0.am?.address ?? "")/nothing"] }
        ),
        ("journey", "clients.standard: journey NoSuchJourney", { $0.clients[0].journeys.append("NoSuchJourney") }),
        ("realm", "clients.standard: discovery", { $0.clients[0].realm = "nowhere" }),
        (
            "scopes", "clients.standard: redirect URI and scopes",
            { $0.clients[0].oauth.scopes = ["openid", "nonsense"] }
        ),
        (
            "redirect URI", "clients.standard: redirect URI and scopes",
            { $0.clients[0].oauth.redirectURI = "http://localhost:18090/nowhere" }
        ),
        (
            "issuer of tokens", "issuers[0]: discovery",
            {
                let document = "\($0.am?.address ?? "")/oauth2/.well-known/openid-configuration"
                $0.issuers[0] = $0.issuers[0].replacing(
                    "issuer: \"", with: "discovery: \"\(document)\", issuer: \"http://127.0.0.1:1/")
            }
        ),
        (
            "introspection", "issuers[0]: introspection",
            { $0.issuers[0] = $0.issuers[0].replacing("ecret: \"", with: "ecret: \"x") }
        ),
        (
            "upstream", "routes[0]: upstream",
            {
                $0.routes = [
                    "{ path: /api/a, upstream: \"http://127.0.0.1:1/a\", methods: GET, clients: [standard], require: signed-in }"
                ]
            }
        ),
    ]

    @Test("says what is wrong", arguments: faults.map(\.0))
    func wrong(name: String) async throws {
        let fault = try #require(Self.faults.first { $0.0 == name })
        let said = try await check(fault.2)
        #expect(said.status == 1, "\(said.lines)")
        let line = said.lines.first { $0.hasPrefix(fault.1 + ": ") }
        #expect(line != nil && line?.hasSuffix(": ok") == false, "\(said.lines)")
    }
}
