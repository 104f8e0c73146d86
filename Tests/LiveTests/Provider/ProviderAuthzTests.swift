import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import Testing

@Suite("With node oidc-provider behind it, /authz", .enabled(if: Live.provider != nil), .serialized)
struct ProviderAuthzTests {
    static var algorithms: [String] { (try? Live.provider?.get())?.algorithms ?? [] }

    /// The entry of `issuers`; one that lists every audience.
    private static func entry(_ settings: ProviderSettings, mode: String) -> String {
        let audiences =
            [settings.resource, settings.opaque]
            + settings.algorithms.map { settings.signed.replacing("{algorithm}", with: $0) }
        let own =
            ", introspection: { clientId: \(settings.machine.id), clientSecret: \"\(settings.machine.secret)\","
            + " keepActive: 0s, keepInactive: 0s }"
        let names = settings.algorithms.joined(separator: ", ")
        return "{ issuer: \"\(settings.address)\", insecureHttp: true, profile: rfc9068, algorithms: [\(names)],"
            + " audiences: [\(audiences.map { "\"\($0)\"" }.joined(separator: ", "))], mode: \(mode)"
            + (mode == "jwt" ? "" : own) + " }"
    }

    func run(mode: String, _ body: (LiveServer, Provider) async throws -> Void) async throws {
        let provider = try Provider.required()
        try await provider.reset()
        var configuration = LiveConfiguration()
        configuration.requirements = [
            "read: { scopes: [read] }", "transfer: { scopes: [transfer] }",
            "machine: { scopes: [read], machines: true }",
        ]
        configuration.issuers = [Self.entry(provider.settings, mode: mode)]
        try await LiveServer.run(configuration) { try await body($0, provider) }
    }

    @Test("takes a token signed with each algorithm, and not a byte more", arguments: algorithms)
    func algorithm(name: String) async throws {
        try await run(mode: "jwt") { server, provider in
            let resource = provider.settings.signed.replacing("{algorithm}", with: name)
            let token = try await provider.token(resource)
            LiveSecrets.add(token)
            let answer = try await server.authz("read", token)
            #expect(answer.status == 204, "\(answer.status) \(server.log.suffix(800))")
            #expect(answer.field(try .init(checking: "X-Auth-Subject")) == provider.settings.user)
            #expect(try await server.authz("read", String(token.dropLast(8)) + "AAAAAAAA").status == 401)
            #expect(try await server.authz("transfer", token).status == 403)
        }
    }

    @Test("and the library take a token signed with each algorithm", arguments: algorithms)
    func library(name: String) async throws {
        let provider = try Provider.required()
        try await provider.reset()
        let settings = provider.settings
        let resource = settings.signed.replacing("{algorithm}", with: name)
        let transport = try Wire.transport()
        let discovery = try #require(WebURL(settings.address + "/.well-known/openid-configuration"))
        let accessGuard = try AccessGuard(
            issuers: [
                TrustedIssuer(
                    issuer: settings.address, discovery: discovery, profile: .rfc9068, audiences: [resource],
                    algorithms: Set(JWSAlgorithm.allCases), insecureHTTP: true)
            ], transport: transport,
            directory: ProviderDirectory(transport: transport, time: SystemTime(), logger: .silent))
        let token = try await provider.token(resource)
        let decision = await accessGuard.decide(
            authorization: ["Bearer \(token)"], Requirement(name: "read", scopes: ["read"]))
        guard case .allow(let facts) = decision else {
            Issue.record("\(decision)")
            return
        }
        #expect(facts.subject == settings.user)
    }

    @Test func `takes opaque tokens by asking, and JWTs of which the provider says nothing`() async throws {
        try await run(mode: "both") { server, provider in
            let opaque = try await provider.token(provider.settings.opaque)
            #expect(!opaque.contains("."))
            #expect(try await server.authz("read", opaque).status == 204)
            let signed = try await provider.token(provider.settings.resource)
            #expect(try await server.authz("read", signed).status == 204)
            // A made-up token is the caller's fault, and no reason for an alarm.
            for made in ["made-up", "eyJhbGciOiJSUzI1NiJ9.e30.AAAA"] {
                #expect(try await server.authz("read", made).status == 401, "\(made)")
            }
            #expect(server.lines(containing: " error ") == [])
        }
    }

    @Test func `calls a token invalid when the provider answers 400 for it`() async throws {
        try await run(mode: "introspection") { server, provider in
            let signed = try await provider.token(provider.settings.resource)
            let answer = try await server.authz("read", signed)
            #expect(answer.status == 401, "\(answer.status) \(answer.text)")
            #expect(server.lines(containing: " error ") == [])
        }
    }

    @Test("refuses refresh tokens and tokens that are no access tokens", arguments: ["introspection", "both"])
    func others(mode: String) async throws {
        try await run(mode: mode) { server, provider in
            let answer = try await provider.tokens(provider.settings.opaque)
            for name in ["refresh_token", "id_token"] {
                let token = try #require(answer[name]?.string, "\(name) \(answer.text)")
                #expect(try await server.authz("signed-in", token).status == 401, "\(name)")
            }
        }
    }

    @Test("refuses a machine as a user, and takes it where machines may call", arguments: ["jwt", "both"])
    func machine(mode: String) async throws {
        try await run(mode: mode) { server, provider in
            let resources = [provider.settings.resource] + (mode == "jwt" ? [] : [provider.settings.opaque])
            for resource in resources {
                let token = try await provider.machineToken(resource)
                #expect(try await server.authz("signed-in", token).status == 403, "\(resource)")
                #expect(try await server.authz("read", token).status == 403, "\(resource)")
                let answer = try await server.authz("machine", token)
                #expect(answer.status == 204, "\(resource): \(answer.status)")
                #expect(answer.field(try .init(checking: "X-Auth-Subject")) ?? "" == "")
                #expect(answer.field(try .init(checking: "X-Auth-Client")) == provider.settings.machine.id)
            }
        }
    }

    @Test func `refuses tokens with the right signature that are expired, early, mistyped or for others`() async throws
    {
        try await run(mode: "jwt") { server, provider in
            let settings = provider.settings
            let now = SystemTime().now().seconds
            let good: JSONValue = [
                "iss": .string(settings.address), "sub": .string(settings.user), "aud": .string(settings.resource),
                "client_id": .string(settings.client.id), "iat": .init(now), "exp": .init(now + 300), "jti": "j",
                "scope": "read",
            ]
            let header: JSONValue = ["typ": "at+jwt"]
            let right = try await provider.sign("RS256", header: header, payload: good)
            #expect(try await server.authz("read", right).status == 204)
            let wrong: [(String, JSONValue, JSONValue)] = [
                ("expired", header, good.setting("exp", .init(now - 120))),
                ("early", header, good.setting("nbf", .init(now + 600))),
                ("issued in the future", header, good.setting("iat", .init(now + 6000))),
                ("another audience", header, good.setting("aud", "https://other.example.test")),
                ("another issuer", header, good.setting("iss", "https://other.example.test")),
                ("no subject", header, good.without("sub")),
                ("no expiry", header, good.without("exp")),
                ("expiry as text", header, good.setting("exp", "tomorrow")),
                ("an ID token", ["typ": "JWT"], good.setting("nonce", "n")),
                ("a logout token", ["typ": "logout+jwt"], good),
                ("without a type", [:], good),
                ("critical", ["typ": "at+jwt", "crit": ["b64"], "b64": false], good),
            ]
            for (name, header, payload) in wrong {
                let token = try await provider.sign("RS256", header: header, payload: payload)
                #expect(try await server.authz("read", token).status == 401, "\(name)")
            }
        }
    }
}
