import Basics
import Cryptography
import Discovery
import HTTPCore
import JOSE
import JSON
import Logs
import ResourceServer
import TestSupport
import Testing

/// An issuer in memory and a guard that takes its tokens.
final class GuardFixture: Sendable {
    static let issuer = "https://as.example.com"
    static let introspection = issuer + "/introspect"
    static let key = Result { try SigningKey.generate(.ES256, keyID: "k1") }
    static let rsaKey = Result { try SigningKey.generate(.RS256, keyID: "r1") }

    let network = ScriptedTransport()
    let time = ManualTime()

    init() {
        let base = Self.issuer
        network.on(
            .get, base + "/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(base)","authorization_endpoint":"\(base)/a","token_endpoint":"\(base)/t",\
                "jwks_uri":"\(base)/keys","introspection_endpoint":"\(Self.introspection)"}
                """))
        serve(keys: [Self.key, Self.rsaKey].compactMap { try? $0.get().jwk })
    }

    func serve(keys: [JWK]) {
        network.on(.get, Self.issuer + "/keys", answering: .json(JWKSet(keys).json.text))
    }

    var keyFetches: Int { network.requests(to: Self.issuer + "/keys").count }
    var questions: [ClientRequest] { network.requests(to: Self.introspection) }

    static func trusted(_ change: (inout TrustedIssuer) -> Void = { _ in }) throws -> TrustedIssuer {
        guard let discovery = WebURL(issuer + "/.well-known/openid-configuration") else { throw BadFixture() }
        var trusted = try TrustedIssuer(
            issuer: issuer, discovery: discovery, profile: .rfc9068, audiences: ["https://rs.example.com"])
        change(&trusted)
        return trusted
    }

    static let asking = IntrospectionSettings(clientID: "rs", clientSecret: Secret("s:ecret"))

    func directory() -> ProviderDirectory {
        ProviderDirectory(
            transport: network, time: time, logger: .silent)
    }

    /// A guard that takes several entries.
    func accessGuard(of issuers: [TrustedIssuer], logger: Logger = .silent) throws -> AccessGuard {
        try AccessGuard(
            issuers: issuers, transport: network, directory: directory(), cachedTokens: 1000, time: time, logger: logger
        )
    }

    func accessGuard(
        cachedTokens: Int = 1000, _ change: (inout TrustedIssuer) -> Void = { _ in }
    ) throws -> AccessGuard {
        let logger = Logger.silent
        return try AccessGuard(
            issuers: [Self.trusted(change)], transport: network,
            directory: directory(), cachedTokens: cachedTokens, time: time, logger: logger)
    }

    /// Claims of a token that every check accepts.
    func goodClaims() -> JSONObject {
        let now = time.now().seconds
        return [
            "iss": .string(Self.issuer), "sub": "demo", "aud": ["https://rs.example.com"], "client_id": "spa",
            "exp": .number(JSONNumber(now + 300)), "iat": .number(JSONNumber(now)), "jti": "j1", "scope": "read write",
            "auth_time": .number(JSONNumber(now - 10)), "acr": "gold", "amr": ["pwd", "hwk"], "auth_level": 3,
        ]
    }

    /// A token with changed claims; nil removes one.
    func token(
        _ changes: [(String, JSONValue?)] = [], type: String? = "at+jwt", header: JSONObject = [:],
        signer: SigningKey? = nil
    ) throws -> String {
        var claims = goodClaims()
        for (name, value) in changes { claims[name] = value }
        return try (signer ?? Self.key.get()).sign(claims: claims, type: type, extraHeader: header)
    }

    static let signedIn = Requirement(name: "signed-in")
    static let strong = Requirement(
        name: "high-value", scopes: ["write"], amr: .any(["hwk"]), authLevel: 3, maxAge: .age(.seconds(300)),
        stepUp: "transaction", challengeACR: "gold")
}

struct BadFixture: Error {}

extension AccessGuard {
    /// Decides on a request with one bearer token, at once where that is possible, and checks that both ways agree.
    func decide(_ token: String, _ requirement: Requirement = GuardFixture.signedIn) async -> AccessDecision {
        let atOnce = decideAtOnce(authorization: ["Bearer \(token)"], requirement)
        var field = "Bearer \(token)"
        let ofField = field.withUTF8 { decideAtOnce(field: $0, requirement) }
        // A decision for another request may have come in between.
        #expect(ofField == atOnce || ofField == decideAtOnce(authorization: ["Bearer \(token)"], requirement))
        let decision = await decide(authorization: ["Bearer \(token)"], requirement, deadline: .now + .seconds(60))
        if let atOnce { #expect(atOnce == decision) }
        return decision
    }
}

extension AccessDecision {
    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }

    /// How long callers are asked to wait.
    var retryAfter: Duration? {
        if case .unavailable(let wait) = self { wait } else { nil }
    }

    var facts: TokenFacts? {
        if case .allow(let facts) = self { facts } else { nil }
    }

    var kind: Challenge.Kind? {
        if case .challenge(let challenge) = self { challenge.kind } else { nil }
    }
}
