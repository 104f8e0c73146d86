import Basics
import Discovery
import HTTPCore
import JSON
import Logs
import ResourceServer
import Testing

@Suite("With a real AM behind it, /authz", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct AuthzLiveTests {
    /// An entry of `issuers` for tokens of one client.
    static func entry(
        _ settings: AMSettings, issuer: String, _ client: OAuthClient, mode: String
    ) -> String {
        let own = "introspection: { clientId: \(client.id), clientSecret: \"\(client.secret)\" }"
        let http = settings.address.hasPrefix("http:") ? "insecureHttp: true, " : ""
        return
            "{ issuer: \"\(issuer)\", \(http)profile: am, audiences: [\(client.id)], clients: [\(client.id)], mode: \(mode)"
            + (mode == "jwt" ? " }" : ", \(own) }")
    }

    /// A server that is nothing but a resource server beside AM: no client of its own.
    private func run(
        mode: String, _ body: (LiveServer, AMSettings, AM) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let issuer = try await am.issuer("/")
        var configuration = LiveConfiguration(am: settings)
        configuration.requirements = [
            "profile: { scopes: [profile] }", "pay: { scopes: [WRITE_TRANSACTION] }",
            "machine: { scopes: [am-introspect-all-tokens], machines: true }",
            "asked: { scopes: [am-introspect-all-tokens] }",
        ]
        // AM's introspection knows the asking client's own tokens only: one entry serves one client.
        let clients = [settings.standard, settings.transaction, settings.machine]
        configuration.issuers = clients.map { Self.entry(settings, issuer: issuer, $0, mode: mode) }
        try await LiveServer.run(configuration) { try await body($0, settings, am) }
    }

    private func expectTokensJudged(_ server: LiveServer, _ settings: AMSettings, _ am: AM) async throws {
        let user = try await am.makeUser()
        let session = try await am.session(of: user)
        let usual = try await am.tokens(session, settings.standard)
        let token = try #require(usual["access_token"]?.string, "\(usual.text)")
        LiveSecrets.add(token)

        let allowed = try await server.authz("profile", token)
        #expect(allowed.status == 204, "\(allowed.text)")
        #expect(allowed.field(try .init(checking: "X-Auth-Subject")) == user)
        #expect(try await server.authz("pay", token).status == 403)
        #expect(try await server.authz("profile", nil).status == 401)

        let strong = try await am.tokens(session, settings.transaction)
        let transfer = try #require(strong["access_token"]?.string, "\(strong.text)")
        LiveSecrets.add(transfer)
        #expect(try await server.authz("pay", transfer).status == 204)

        // What is no access token: the refresh token, the ID token, something made up.
        for other in ["refresh_token", "id_token"] {
            let value = try #require(usual[other]?.string)
            LiveSecrets.add(value)
            let refused = try await server.authz("signed-in", value)
            #expect(refused.status == 401, "\(other): \(refused.status) \(refused.text)")
        }
        #expect(try await server.authz("signed-in", "made-up-token").status == 401)

        // A machine is nobody, whatever scopes it has, unless a requirement says so.
        let machine = try await am.machineToken(settings.machine)
        LiveSecrets.add(machine)
        for name in ["signed-in", "asked"] {
            let refused = try await server.authz(name, machine)
            #expect(refused.status == 403, "\(name): \(refused.status)")
        }
        let taken = try await server.authz("machine", machine)
        #expect(taken.status == 204, "\(taken.status) \(taken.text)")
        #expect(taken.field(try .init(checking: "X-Auth-Subject")) ?? "" == "")
        #expect(taken.field(try .init(checking: "X-Auth-Client")) == settings.machine.id)
        #expect(server.lines(containing: " error ") == [])
    }

    @Test func `asks AM about opaque tokens, of each client by itself`() async throws {
        try await run(mode: "introspection") { server, settings, am in
            try await expectTokensJudged(server, settings, am)
            // What AM revoked is refused as soon as it is asked again.
            let session = try await am.session(of: try await am.makeUser())
            let token = try #require(try await am.tokens(session, settings.standard)["access_token"]?.string)
            #expect(try await server.authz("signed-in", token).status == 204)
            let revoked = try await Wire.send(
                .post, am.oauth("/") + "/token/revoke", .form([("token", token)]), basic: settings.standard)
            #expect(revoked.status == 200, "\(revoked.text)")
            #expect(
                try await eventually(within: .seconds(30), every: .seconds(1)) {
                    try await server.authz("signed-in", token).status == 401
                })
        }
    }

    @Test func `checks tokens that are JWTs by their signature, and opaque ones again afterwards`() async throws {
        try await run(mode: "jwt") { server, settings, am in
            try await am.withTokensAsJWT { try await expectTokensJudged(server, settings, am) }
            let session = try await am.session(of: try await am.makeUser())
            let opaque = try #require(try await am.tokens(session, settings.standard)["access_token"]?.string)
            #expect(!opaque.contains("."), "AM gives out JWTs still")
            #expect(try await server.authz("signed-in", opaque).status == 401)
        }
    }

    @Test func `takes both kinds in the mode that takes both`() async throws {
        try await run(mode: "both") { server, settings, am in
            try await expectTokensJudged(server, settings, am)
            try await am.withTokensAsJWT { try await expectTokensJudged(server, settings, am) }
        }
    }

    @Test func `does not take tokens of another realm`() async throws {
        try await run(mode: "both") { server, settings, am in
            let realm = settings.subRealm
            let session = try await am.session(of: try await am.makeUser(realm: realm), realm: realm)
            let answer = try await am.tokens(session, settings.standard, realm: realm)
            let token = try #require(answer["access_token"]?.string, "\(answer.text)")
            #expect(try await server.authz("signed-in", token).status == 401)
        }
    }

    @Test func `decides as the library does in a program of its own`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let issuer = try await am.issuer("/")
        let discovery = try #require(WebURL(am.oauth("/") + "/.well-known/openid-configuration"))
        let transport = try Wire.transport()
        let entry = try TrustedIssuer(
            issuer: issuer, discovery: discovery, profile: .am, audiences: [settings.standard.id],
            clients: [settings.standard.id],
            mode: .both(
                IntrospectionSettings(
                    clientID: settings.standard.id, clientSecret: .init(settings.standard.secret))),
            insecureHTTP: true)
        let accessGuard = try AccessGuard(
            issuers: [entry], transport: transport,
            directory: ProviderDirectory(transport: transport, time: SystemTime(), logger: .silent))
        let user = try await am.makeUser()
        let session = try await am.session(of: user)
        let answer = try await am.tokens(session, settings.standard)
        let token = try #require(answer["access_token"]?.string)
        let decision = await accessGuard.decide(
            authorization: ["Bearer \(token)"], Requirement(name: "profile", scopes: ["profile"]))
        guard case .allow(let facts) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(facts.subject == user)
        let refresh = try #require(answer["refresh_token"]?.string)
        let refused = await accessGuard.decide(authorization: ["Bearer \(refresh)"], Requirement(name: "profile"))
        guard case .challenge(let challenge) = refused else {
            Issue.record("a refresh token: \(refused)")
            return
        }
        #expect(challenge.status == 401)
    }
}
