import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import JourneyClient
import JourneyProduct
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport

/// A Journey client at an AM and an authorization server that answer well until a test scripts one of them otherwise.
final class ScriptedSignIn: Sendable {
    /// What a step led to, without the secrets.
    enum Told: Equatable {
        case page
        case failure(String, check: String? = nil)
        case success(sessionIsNew: Bool)
        case successWithoutSession
        case notTaken(Duration)
        /// Of a provider that takes answers again; no journey does.
        case refused
    }

    static let server = "https://am.example.com/openam"
    static let issuer = server + "/oauth2"
    static let authenticate = server + "/json/realms/root/authenticate"
    static let sessions = server + "/json/realms/root/sessions"
    static let serverInfo = server + "/json/realms/root/serverinfo/*"
    static let discovery = issuer + "/.well-known/openid-configuration"
    static let tokens = issuer + "/access_token"
    static let redirect = "https://app.example.com/bff/code"
    static let advice =
        "the id or secret has characters that client_secret_basic encodes, and some providers take them as they are; "
        + "try clientAuthentication: client_secret_basic_raw"

    let network = ScriptedTransport()
    let time = ManualTime()
    let client: JourneySignIn
    /// The token side.
    let tokens: OpenIDTokens
    private let key: SigningKey
    private let nonce = Locked("")

    /// `cookie` nil has the name of AM's session cookie asked for; `redeems` false makes a journey without its OIDC module.
    init(
        cookie: String? = "iPlanetDirectoryPro", journey name: String? = "Login", redeems: Bool = true,
        catalogue: CallbackCatalogue = .standard, exposed: [String] = [], grantsConsent: Bool = false,
        credentials: CredentialRules = CredentialRules(origins: [], relyingParties: []), log: RecordedLog? = nil
    ) throws {
        key = try SigningKey.generate(.ES256, keyID: "k1")
        let network = network, time = time
        guard let discovery = WebURL(Self.discovery) else { throw BadAddress() }
        var settings = OpenIDClientSettings(
            discovery: discovery, clientID: "bff", authentication: .basic(Secret("a secret")), scopes: ["openid"],
            redirectURI: Self.redirect)
        settings.grantsConsent = grantsConsent
        let openID = OpenIDClient(
            settings,
            directory: ProviderDirectory(transport: network, time: time, logger: .silent), transport: network,
            time: time, logger: .silent)
        let journey = try Journey.createJourney { config in
            config.serverUrl = Self.server
            config.cookie = cookie
            config.journey = name
            config.catalogue = catalogue
            config.transport = network
            config.time = NotedWaits(time)
            if redeems { config.oidc(openID) }
        }
        client = JourneySignIn(
            journey, openID, journeys: name.map { [$0] } ?? [], exposed: exposed, credentials: credentials,
            logger: log?.logger() ?? .silent)
        tokens = OpenIDTokens(openID)
        publish()
        let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
        network.on(.get, Self.issuer + "/jwks", answering: .json(keys.text))
        network.on(.get, Self.issuer + "/authorize") { [self] request in redirect(request) }
        network.on(.post, Self.tokens) { [self] _ in grant() }
        network.on(.post, Self.sessions, answering: .json(#"{"username":"alice"}"#))
        network.on(.get, Self.serverInfo, answering: .json(#"{"cookieName":"iPlanetDirectoryPro"}"#))
    }

    struct BadAddress: Error {}

    /// A process whose only client this is.
    func backend(_ store: any ByteStore, _ key: ServerKey, _ log: RecordedLog = RecordedLog()) throws -> Backend {
        let definition = ClientDefinition(
            name: "standard", flows: client, tokens: tokens, sessionStorage: "s", tokenStorage: "s")
        return Backend(
            settings: BFFSettings(), clients: [definition], store: store, keys: try ServerKeys([key]), time: time,
            renderer: UserDocument(), logger: log.logger())
    }

    /// The discovery document, with endpoints that not every provider has.
    func publish(userinfo: Bool = true, revocation: Bool = true) {
        var members: JSONObject = [
            "issuer": .string(Self.issuer), "authorization_endpoint": .string(Self.issuer + "/authorize"),
            "token_endpoint": .string(Self.tokens), "jwks_uri": .string(Self.issuer + "/jwks"),
        ]
        if userinfo { members["userinfo_endpoint"] = .string(Self.issuer + "/userinfo") }
        if revocation { members["revocation_endpoint"] = .string(Self.issuer + "/revoke") }
        network.on(.get, Self.discovery, answering: .json(members.text))
    }

    /// A redirect with `query` in place of the code, and with our state.
    func authorizeRedirects(_ query: String) {
        network.on(.get, Self.issuer + "/authorize") { request in
            .redirect(to: "\(Self.redirect)?\(query)&state=\(request.parameters?.single("state") ?? "")")
        }
    }

    func start(_ session: String? = nil, _ change: (inout StartRequest) -> Void = { _ in }) async throws -> Told {
        var request = StartRequest()
        change(&request)
        return told(try await client.start(request, session: session.map { stored($0) }, caller())).told
    }

    /// Starts a journey whose first answer signs in, and tells the session that was left behind with its end.
    func signIn(_ session: String? = nil) async throws -> (told: Told, orphan: String?, mismatch: Mismatch?) {
        network.on(
            .post, Self.authenticate,
            answering: .json(#"{"tokenId":"new.*A*","successUrl":"/openam/console","realm":"/"}"#))
        return told(try await client.start(StartRequest(), session: session.map { stored($0) }, caller()))
    }

    func told(_ outcome: SignInOutcome) -> (told: Told, orphan: String?, mismatch: Mismatch?) {
        switch outcome {
        case .page: return (.page, nil, nil)
        case .refused: return (.refused, nil, nil)
        case .failure(let failure, let orphan):
            let session = orphan.flatMap { try? SSOSession(decoding: $0).value.reveal() }
            return (.failure(failure.reason.rawValue, check: failure.check), session, failure.mismatch)
        case .success(let signIn): return (.success(sessionIsNew: signIn.sessionIsNew), nil, nil)
        case .successWithoutSession: return (.successWithoutSession, nil, nil)
        case .notTaken(let wait, _): return (.notTaken(wait), nil, nil)
        }
    }

    func caller() -> Caller { Caller(deadline: deadline, requestID: "r1") }

    /// When a call gives up that begins now.
    var deadline: ContinuousClock.Instant { .now + .seconds(20) }

    /// A session as a client keeps it.
    func stored(_ value: String) -> [UInt8] {
        SSOSession(value: Secret(value), successURL: "/console", realm: "/alpha", created: time.now()).encoded
    }

    /// Tokens of a sign-in that was.
    var tokenSet: TokenSet {
        TokenSet(
            accessToken: Secret("at-0"), refreshToken: Secret("rt-0"), scopes: ["openid"], issuedAt: time.now(),
            expiresAt: time.now() + .seconds(300), issuer: Self.issuer, clientID: "bff", subject: "alice")
    }

    /// The consent page in place of a code, which comes for its form.
    func consentIsAsked() {
        network.on(.get, Self.issuer + "/authorize", answering: .consentPage)
        network.on(.post, Self.issuer + "/authorize") { [self] request in redirect(request) }
    }

    private func redirect(_ request: ClientRequest) -> ClientResponse {
        let asked = request.method == .post ? request.form : request.parameters
        nonce.withLock { $0 = asked?.single("nonce") ?? "" }
        let state = asked?.single("state") ?? ""
        return .redirect(to: "\(Self.redirect)?code=c1&state=\(state)&iss=\(Self.issuer)")
    }

    private func grant() -> ClientResponse {
        let now = time.now().seconds
        let claims: JSONObject = [
            "iss": .string(Self.issuer), "aud": "bff", "sub": "alice",
            "nonce": .string(nonce.withLock { $0 }), "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 600)),
        ]
        let idToken = (try? key.sign(claims: claims)) ?? ""
        return .json(
            """
            {"access_token":"at-1","refresh_token":"rt-1","id_token":"\(idToken)","token_type":"Bearer","expires_in":300}
            """)
    }
}
