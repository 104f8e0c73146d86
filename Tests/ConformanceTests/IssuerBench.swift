import BFF
import BFFAPI
import Basics
import Cryptography
import Discovery
import HTTPCore
import HTTPServer
import JOSE
import JSON
import Logs
import ResourceServer
import StorageKit
import TestSupport

/// An issuer on loopback that signs and is asked, and the resource server that takes its tokens, as a library and behind
/// `/authz/…`.
struct IssuerBench: Sendable {
    let provider: Provider
    let accessGuard: AccessGuard
    private let api: AdminAPI
    let log = RecordedLog()

    static let introspectionPath = "/am/oauth2/realms/root/realms/alpha/introspect"
    /// A requirement that asks for everything at once.
    static let highValue = Requirement(
        name: "high-value", scopes: ["WRITE_TRANSACTION"], amr: .any(["biometric"]), authLevel: 3,
        maxAge: .age(.seconds(300)), stepUp: "transaction", challengeACR: "gold")

    /// What differs between the benches of two fixtures.
    struct Options: Sendable {
        /// Literally, whatever the address of the bench.
        var issuer: String
        var profile = TokenProfile.rfc9068
        var audiences: Set<String> = []
        var clients: Set<String> = []
        var mode = ValidationMode.jwt
        var keys: [JWK] = []
        var now: Int64
        var requirements = [IssuerBench.highValue]
    }

    /// Serves an issuer while the body runs; `answer` is the introspection endpoint.
    static func serving(
        _ options: Options, introspection path: String = introspectionPath,
        _ answer: @escaping @Sendable (Received) -> Reply? = { _ in nil }, _ body: (IssuerBench) async throws -> Void
    ) async throws {
        let origin = Locked("")
        let keys = JWKSet(options.keys).json.text
        try await Provider.serving({ received in
            let home = origin.withLock { $0 }
            switch received.path {
            case "/.well-known/openid-configuration":
                let document: JSONObject = [
                    "issuer": .string(options.issuer), "authorization_endpoint": .string(home + "/authorize"),
                    "token_endpoint": .string(home + "/access_token"), "jwks_uri": .string(home + "/jwk_uri"),
                    "introspection_endpoint": .string(home + path),
                ]
                return .json(document.text)
            case "/jwk_uri": return .json(keys)
            case path: return answer(received)
            default: return nil
            }
        }) { provider in
            origin.withLock { $0 = provider.origin }
            try await body(try IssuerBench(provider, options))
        }
    }

    private init(_ provider: Provider, _ options: Options) throws {
        self.provider = provider
        let time = ManualTime(Timestamp(seconds: options.now))
        guard let discovery = WebURL(provider.origin + "/.well-known/openid-configuration") else {
            throw Fixture.Malformed(name: "bench", member: "origin")
        }
        let issuer = try TrustedIssuer(
            issuer: options.issuer, discovery: discovery, profile: options.profile, audiences: options.audiences,
            clients: options.clients, mode: options.mode, endpointOrigins: [provider.origin])
        let logger = log.logger()
        accessGuard = try AccessGuard(
            issuers: [issuer], transport: provider.client,
            directory: ProviderDirectory(transport: provider.client, time: time, logger: logger), time: time,
            logger: logger)
        let backend = Backend(
            settings: BFFSettings(), clients: [], requirements: [], store: MemoryStore(time: time),
            keys: try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), time: time,
            renderer: UserDocument(), logger: logger)
        api = AdminAPI(
            backend: backend,
            authz: AuthzAPI(AuthzSettings(requirements: options.requirements), accessGuard: accessGuard))
    }

    /// What `/authz/{requirement}` answers to a caller with these fields.
    func ask(_ requirement: String, _ token: String?, query: String = "") async -> OwnAnswer {
        let fields = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        return OwnAnswer(
            await api.handle(
                ServerRequest(method: .get, target: "/authz/\(requirement)\(query)", headers: RequestHeaders(fields))))
    }

    /// The check that refused the last token.
    var refusedBy: String? {
        log.lines.last { $0.contains("Token refused") }?.split(separator: "check=").last.map { String($0) }
    }

    /// What the library decides.
    func decide(_ token: String, _ requirement: Requirement = highValue) async -> AccessDecision {
        await accessGuard.decide(authorization: ["Bearer \(token)"], requirement, deadline: .now + .seconds(20))
    }
}

extension OwnAnswer {
    init(_ response: ServerResponse) {
        var body: JSONValue?
        if case .bytes(let bytes) = response.body { body = try? JSONValue(parsing: bytes) }
        self.init(
            status: response.status, headers: response.headers.map { ($0.name.lowercased(), $0.value) }, body: body)
    }
}
