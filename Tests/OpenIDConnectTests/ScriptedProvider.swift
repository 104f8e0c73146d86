import Basics
import Cryptography
import Discovery
import HTTPCore
import JOSE
import JSON
import Logs
import OpenIDConnect
import TestSupport
import Testing

/// An authorization server in memory that is right by default and wrong where a test says so.
final class ScriptedProvider: Sendable {
    static let base = "https://am.example.com/am/oauth2/alpha"
    static let redirectURI = "https://app.example.com/bff/code"
    static let sharedKey = Result { try SigningKey.generate(.ES256, keyID: "k1") }

    /// What a test may bend.
    struct Script: Sendable {
        /// Replaces the whole answer to authorize; gets the state that was sent.
        var authorize: (@Sendable (_ state: String) -> ClientResponse)?
        /// Changes the claims of the ID token.
        var claims: @Sendable (inout JSONObject) -> Void = { _ in }
        /// Members that replace those of the ID token's header.
        var header: JSONObject = [:]
        /// Who signs the ID token.
        var signer = ScriptedProvider.sharedKey
        /// Signs the ID token without a key id instead.
        var nameless: PrivateKey?
        /// Protects the ID token with the client secret instead.
        var mac: MACAlgorithm?
        /// Changes the answer of the token endpoint.
        var answer: @Sendable (inout JSONObject) -> Void = { _ in }
        /// Replaces the whole answer of the token endpoint.
        var token: ClientResponse?
        /// Claims of an access token that is a JWT; nil for an opaque one.
        var access: JSONObject?
        /// Who signs such an access token.
        var accessSigner = ScriptedProvider.sharedKey
        /// Whether a refresh answers with an ID token.
        var refreshesIDToken = false
        /// Adds members to the metadata, or removes them where nil.
        var document: [(String, JSONValue?)] = []
    }

    let network = ScriptedTransport()
    let time = ManualTime()
    private let script = Locked(Script())
    private let nonce = Locked("")
    private let issued = Locked(0)

    init() {
        network.on(.get, Self.base + "/.well-known/openid-configuration") { [self] _ in
            var document: JSONObject = [
                "issuer": .string(Self.base), "authorization_endpoint": .string(Self.base + "/authorize"),
                "token_endpoint": .string(Self.base + "/access_token"), "jwks_uri": .string(Self.base + "/keys"),
                "userinfo_endpoint": .string(Self.base + "/userinfo"),
                "revocation_endpoint": .string(Self.base + "/revoke"),
                "end_session_endpoint": .string(Self.base + "/endSession"),
            ]
            for (name, value) in current.document { document[name] = value }
            return .json(document.text)
        }
        network.on(.get, Self.base + "/keys") { _ in
            let key = try? ScriptedProvider.sharedKey.get()
            return .json(JWKSet(key.map { [$0.jwk] } ?? []).json.text)
        }
        network.on(.get, Self.base + "/authorize") { [self] request in authorize(request) }
        network.on(.post, Self.base + "/access_token") { [self] request in token(request) }
        network.on(.post, Self.base + "/revoke", answering: ClientResponse(status: 200))
        network.on(.get, Self.base + "/userinfo", answering: .json(#"{"sub":"demo","name":"Demo"}"#))
    }

    var current: Script { script.withLock { $0 } }

    func set(_ change: (inout Script) -> Void) {
        script.withLock { change(&$0) }
    }

    var now: Int64 { time.now().seconds }

    func sent(_ path: String) -> [ClientRequest] { network.requests(to: Self.base + path) }

    private func authorize(_ request: ClientRequest) -> ClientResponse {
        let sent = request.parameters?.single("nonce") ?? ""
        nonce.withLock { $0 = sent }
        let state = request.parameters?.single("state") ?? ""
        if let answer = current.authorize { return answer(state) }
        return .redirect(to: "\(Self.redirectURI)?code=c1&state=\(state)&iss=\(PercentEncoding.encode(Self.base))")
    }

    private func token(_ request: ClientRequest) -> ClientResponse {
        let script = current
        if let answer = script.token { return answer }
        let number = issued.withLock { number in
            number += 1
            return number
        }
        let isRefresh = request.form?.single("grant_type") == "refresh_token"
        var answer: JSONObject = [
            "access_token": .string(accessToken(script, number)), "refresh_token": .string("rt-\(number)"),
            "token_type": "Bearer", "expires_in": 300, "scope": "openid profile",
        ]
        if !isRefresh || script.refreshesIDToken {
            answer["id_token"] = .string(idToken(script, isRefresh: isRefresh))
        }
        script.answer(&answer)
        return .json(answer.text)
    }

    private func accessToken(_ script: Script, _ number: Int) -> String {
        guard let claims = script.access else { return "at-\(number)" }
        return (try? script.accessSigner.get().sign(claims: claims)) ?? ""
    }

    /// The claims that every check accepts.
    func goodClaims() -> JSONObject {
        [
            "iss": .string(Self.base), "sub": "demo", "aud": "bff", "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 600)), "auth_time": .number(JSONNumber(now - 5)), "acr": "silver",
            "amr": ["pwd"], "sid": "s-1",
        ]
    }

    /// Long enough for every algorithm with a shared secret.
    static let longSecret = String(repeating: "s/ecret+", count: 8)

    /// A token that anyone could write who knows the secret.
    static func protected(_ claims: JSONObject, _ algorithm: MACAlgorithm, _ secret: String = longSecret) -> String {
        let header = #"{"typ":"JWT","alg":"\#(algorithm.rawValue)"}"#
        let signed = Base64URL.encode(header.utf8) + "." + Base64URL.encode(claims.text.utf8)
        let code = HMACKey(Array(secret.utf8), algorithm.hash).authenticate(Array(signed.utf8))
        return signed + "." + Base64URL.encode(code)
    }

    private func idToken(_ script: Script, isRefresh: Bool) -> String {
        var claims = goodClaims()
        if !isRefresh { claims["nonce"] = .string(nonce.withLock { $0 }) }
        script.claims(&claims)
        if let algorithm = script.mac { return Self.protected(claims, algorithm) }
        if let key = script.nameless { return (try? key.signNameless(claims)) ?? "" }
        return (try? script.signer.get().sign(claims: claims, extraHeader: script.header)) ?? ""
    }

    /// A client of this provider.
    func client(
        logger: Logger = .silent, _ change: (inout OpenIDClientSettings) -> Void = { _ in }
    ) throws -> OpenIDClient {
        guard let discovery = WebURL(Self.base + "/.well-known/openid-configuration") else {
            throw OpenIDError.configuration("address")
        }
        var settings = OpenIDClientSettings(
            discovery: discovery, issuer: Self.base, clientID: "bff", authentication: .basic(Secret("s/ecret+1")),
            scopes: ["openid", "profile"], redirectURI: Self.redirectURI)
        change(&settings)
        let directory = ProviderDirectory(transport: network, time: time, logger: logger)
        return OpenIDClient(settings, directory: directory, transport: network, time: time, logger: logger)
    }

    static var soon: ContinuousClock.Instant { .now + .seconds(60) }

    /// Tokens of a client with the standard settings.
    func tokens(_ options: AuthorizeOptions = AuthorizeOptions()) async throws -> TokenSet {
        try await tokens(options, of: try client())
    }

    /// Tokens of a client, by an authorization that a browser takes to the provider and back at once.
    func tokens(_ options: AuthorizeOptions = AuthorizeOptions(), of client: OpenIDClient) async throws -> TokenSet {
        var authorization = try await client.authorization(options, deadline: Self.soon)
        let answer = try await answer(to: authorization)
        return try await authorization.finish(answer, by: client, deadline: Self.soon)
    }

    /// What the provider sends a browser back with that comes with an authorization.
    func answer(to authorization: Authorization) async throws -> AuthorizationAnswer {
        let request =
            switch authorization.request {
            case .get(let address): ClientRequest(.get, address)
            case .post(let address, let form): ClientRequest(.post, address, body: Array(form.encoded.utf8))
            }
        let response = try await network.send(request, deadline: Self.soon)
        let location = response.fields[.location] ?? ""
        let tail = location.dropFirst(authorization.redirectURI.count)
        let parameters = try #require(QueryParameters(parsing: tail.dropFirst().prefix { $0 != "#" }))
        return tail.hasPrefix("#") ? .fragment(parameters) : .query(parameters)
    }

    /// Base64url of the left half of a SHA-256 digest, as in `at_hash`.
    static func halfHash(_ text: String) -> String {
        Base64URL.encode(Digest.hash(utf8: text).prefix(16))
    }
}

extension OpenIDError {
    /// The same error without the values of what the check was about.
    fileprivate var withoutValues: OpenIDError {
        switch self {
        case .invalidResponse(let check, _): .invalidResponse(check: check)
        case .invalidIDToken(let check, _): .invalidIDToken(check: check)
        default: self
        }
    }
}

/// Expects an error, whatever values it tells besides.
func expectFault<Result>(
    _ expected: OpenIDError, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async {
    let error = await #expect(throws: OpenIDError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.withoutValues == expected, sourceLocation: sourceLocation)
}
