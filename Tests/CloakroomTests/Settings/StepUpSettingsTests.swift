import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import HTTPServer
import JOSE
import ProductKit
import ResourceServer
import SettingsKit
import Testing

@Suite("A settings file with a step-up")
struct StepUpSettingsTests {
    @Test func `is read whole`() throws {
        let settings = try StepUpText.read(StepUpText.good).settings
        #expect(
            settings.requirements == [
                Requirement(
                    name: "high-value", scopes: ["WRITE"], amr: .any(["biometric"]), authLevel: 3,
                    maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")
            ])
        #expect(settings.clients.map(\.minimum) == [nil, "high-value"])
        #expect(settings.routes.map(\.path) == ["/api/accounts", "/api/pay"])
        #expect(settings.routes.map(\.upstream.text) == ["https://ledger/accounts", "https://ledger/pay"])
        #expect(settings.routes.map(\.methods) == [[.get], [.post]])
        #expect(settings.routes.map(\.route.demand) == [.signedIn, .requirement("high-value")])
        #expect(settings.routes.map(\.route.clients) == [["standard"], ["standard", "transaction"]])
        #expect(settings.routes.allSatisfy { $0.route.extendsIdle && !$0.replay && !$0.keepsCacheControl })
        let issuer = try #require(settings.issuers.first)
        #expect(issuer.issuer == "https://t.example/am/oauth2/alpha")
        #expect(issuer.discovery.text == "https://t.example/am/oauth2/alpha/.well-known/openid-configuration")
        #expect(issuer.profile == .am && issuer.audiences == ["bff-tx"] && issuer.clients.isEmpty)
        guard case .jwt = issuer.mode else { throw Unexpected() }
        #expect(settings.authzPeers.isEmpty && settings.cachedTokens == 10_000)
    }

    private struct Unexpected: Error {}

    @Test func `takes routes apart that share a path, for the loop guard`() throws {
        let text = StepUpText.replacing("/api/accounts", "/api/pay")
        let ids = try StepUpText.read(text).settings.routes.map(\.route.id)
        #expect(Set(ids).count == 2)
    }

    private static let written = "authLevel: 3, amr: { any: [biometric] }, maxAge: 5m"

    @Test(
        "has every spelling of a requirement",
        arguments: [
            ("acr: { anyOf: [gold, silver] }, maxAge: 1h", ACRRule.anyOf(["gold", "silver"]), nil, nil, "1h"),
            ("acr: { anyOf: gold }, maxAge: 1h", .anyOf(["gold"]), nil, nil, "1h"),
            (
                "acr: { order: [bronze, silver, gold], min: silver }, maxAge: session",
                .order(["bronze", "silver", "gold"], minimum: "silver"), nil, nil, "session"
            ),
            ("amr: [pwd, otp], maxAge: 1h", nil, .all(["pwd", "otp"]), nil, "1h"),
            ("amr: otp, maxAge: 1h", nil, .all(["otp"]), nil, "1h"),
            ("amr: { all: [pwd, otp] }, maxAge: 1h", nil, .all(["pwd", "otp"]), nil, "1h"),
            ("authLevel: 1, maxAge: 1h", nil, nil, 1, "1h"),
            ("maxAge: 1h", nil, nil, nil, "1h"),
        ] as [(String, ACRRule?, AMRRule?, Int?, String)])
    func spellings(text: String, acr: ACRRule?, amr: AMRRule?, level: Int?, age: String) throws {
        let read = try StepUpText.read(StepUpText.replacing(Self.written, text)).settings.requirements
        let maxAge = age == "session" ? MaxAge.session : .age(.seconds(3600))
        #expect(
            read == [
                Requirement(
                    name: "high-value", scopes: ["WRITE"], acr: acr, amr: amr, authLevel: level, maxAge: maxAge,
                    stepUp: "transaction", challengeACR: "gold")
            ])
    }

    @Test func `may say who asks about tokens, and how many are kept`() throws {
        let text = StepUpText.good + "\n" + "authz: { peers: [10.0.0.0/8], cachedTokens: 0 }"
        let settings = try StepUpText.read(text).settings
        #expect(settings.authzPeers.count == 1 && settings.cachedTokens == 0)
    }

    @Test func `says all about a route that may be said`() throws {
        let text = StepUpText.replacing(
            "methods: [POST], clients",
            "methods: [HEAD, PUT], limits: { body: 64KiB, time: 5s, concurrency: 7 }, replay: true, slides: false, "
                + "keepsCacheControl: true, vary: [Cookie, X-Tenant], bodies: true, insecureOverlap: true, headers: [X-Tenant], clients"
        )
        let route = try #require(try StepUpText.read(text).settings.routes.last)
        #expect(route.bodyLimit == 65_536 && route.timeout == .seconds(5) && route.concurrency == 7)
        #expect(route.replay && route.keepsCacheControl && !route.route.extendsIdle)
        #expect(route.bodies && route.insecureOverlap)
        #expect(route.headers.map(\.rawName) == ["X-Tenant"] && route.vary.map(\.rawName) == ["Cookie", "X-Tenant"])
        #expect(route.methods == [.head, .put])
    }

    @Test func `says all about an issuer that may be said`() throws {
        let text = StepUpText.replacing(
            "profile: am, audiences: [bff-tx] }",
            "profile: rfc9068, discovery: https://t.example/x, audiences: [ledger, other], algorithms: [ES256], "
                + "alsoAccepts: [\"https://t.example:443/am/oauth2/alpha\"], endpointOrigins: [https://keys.example], "
                + "tokenPrefix: t_, leeway: 5s, mode: both, introspection: { endpoint: https://t.example/i, clientId: rs, clientSecret: \"${SECRET}\", keepActive: 0s, "
                + "keepInactive: 1s, timeout: 2s } }")
        let issuer = try #require(try StepUpText.read(text).settings.issuers.first)
        #expect(issuer.profile == .rfc9068 && issuer.discovery.text == "https://t.example/x")
        #expect(issuer.audiences == ["ledger", "other"] && issuer.algorithms == [.ES256])
        #expect(issuer.leeway == .seconds(5) && !issuer.insecureHTTP && !issuer.insecureAnyAudience)
        #expect(issuer.alsoAccepts == ["https://t.example:443/am/oauth2/alpha"] && issuer.tokenPrefix == "t_")
        #expect(issuer.endpointOrigins == ["https://keys.example"])
        guard case .both(let own) = issuer.mode else { throw Unexpected() }
        #expect(own.clientID == "rs" && own.clientSecret.reveal() == "s3cret" && own.timeout == .seconds(2))
        #expect(own.endpoint?.text == "https://t.example/i")
        #expect(own.keepActive == .zero && own.keepInactive == .seconds(1))
    }

    @Test(arguments: [
        ("", IntrospectionAuthentication.basic), (", clientAuthentication: client_secret_basic", .basic),
        (", clientAuthentication: client_secret_basic_raw", .basicRaw),
        (", clientAuthentication: client_secret_post", .post),
    ])
    func `says how the secret of introspection is shown`(more: String, method: IntrospectionAuthentication) throws {
        let text = StepUpText.replacing(
            "profile: am, audiences: [bff-tx] }",
            "profile: am, clients: [bff-tx], mode: introspection, "
                + "introspection: { clientId: rs, clientSecret: \"${SECRET}\"\(more) } }")
        let issuer = try #require(try StepUpText.read(text).settings.issuers.first)
        guard case .introspection(let own) = issuer.mode else { throw Unexpected() }
        #expect(own.authentication == method)
    }

    @Test func `may list an issuer for each of its clients`() throws {
        let text =
            StepUpText.good
            + "\n  - { issuer: https://t.example/am/oauth2/alpha, profile: am, audiences: [bff], clients: [bff] }"
        let issuers = try StepUpText.read(text).settings.issuers
        #expect(issuers.map(\.clients) == [[], ["bff"]] && issuers[0].issuer == issuers[1].issuer)
    }

    @Test func `may take tokens for any audience where an issuer's entry says so`() throws {
        let text = StepUpText.replacing("audiences: [bff-tx] }", "clients: [bff-tx], insecureAnyAudience: true }")
        let issuer = try #require(try StepUpText.read(text).settings.issuers.first)
        #expect(issuer.insecureAnyAudience && issuer.audiences.isEmpty && issuer.clients == ["bff-tx"])
    }

    @Test func `may allow http to an issuer on another machine`() throws {
        let text =
            StepUpText.good
            + "\n  - { issuer: http://keycloak/realms/x, profile: jwt, audiences: [api], insecureHttp: true }"
            + "\nauthz: { subjects: plain }"
        let issuer = try #require(try StepUpText.read(text).settings.issuers.last)
        #expect(issuer.insecureHTTP && issuer.profile == .jwt)
    }

    @Test func `may admit machines where only scopes are asked for`() throws {
        let text = StepUpText.good.replacing(
            "requirements:\n", with: "requirements:\n  batch: { scopes: [read], machines: true }\n")
        let requirement = try #require(try StepUpText.read(text).settings.requirements.first)
        #expect(requirement.admitsMachines && requirement.scopes == ["read"])
        #expect(try StepUpText.read(StepUpText.good).settings.requirements.allSatisfy { !$0.machines })
    }

    @Test func `may be of a server without clients`() throws {
        let text = """
            server: { publicUrl: https://api.example.com, trustedPeers: [], admin: 127.0.0.1:8081, limits: { headerCount: 33 } }
            issuers:
              - { issuer: https://t.example, profile: rfc9068, audiences: [api] }
            """
        let settings = try StepUpText.read(text).settings
        #expect(settings.clients.isEmpty && settings.issuers.count == 1)
        // What is said of one listener holds for the other; room for a long token is there unless said otherwise.
        #expect(settings.admin?.limits.headerCount == 33 && settings.admin?.limits.headerBytes == 49_152)
        let tight = text.replacing("headerCount: 33", with: "headerBytes: 4KiB, connections: 7")
        let limits = try StepUpText.read(tight).settings.admin?.limits
        #expect(limits?.headerBytes == 4096 && limits?.connections == 7)
    }

    @Test func `sends tokens unencrypted to this machine, and to another one with a warning when told to`() throws {
        let text = StepUpText.replacing("https://ledger/pay", "http://ledger/pay, insecureHttp: true")
        let warnings = try StepUpText.read(text).warnings.map(\.description)
        #expect(warnings == ["cloakroom.yaml:12: routes[1].upstream: tokens would go there unencrypted; use https"])
        let loopback = StepUpText.replacing("https://ledger/pay", "http://127.0.0.1:9000/pay")
        #expect(try StepUpText.read(loopback).warnings.isEmpty)
    }
}
