import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport

/// An AM in memory: a scripted network, and an authorization server with real keys.
final class ScriptedAM: Sendable {
    static let server = "https://openam.example.com/am"
    static let realm = server + "/json/realms/root/realms/alpha"
    static let authenticate = realm + "/authenticate"
    static let sessions = realm + "/sessions"
    static let serverInfo = realm + "/serverinfo/*"
    static let oauth = server + "/oauth2/realms/root/realms/alpha"
    static let cookieName = "a1b2c3d4e5f60718"

    let network = ScriptedTransport()
    let time = ManualTime()
    private let noted: NotedWaits
    private let key: SigningKey
    private let state = Locked(State())

    struct State {
        /// `session` → subject.
        var subjects: [String: String] = [:]
        var dead: Set<String> = []
        /// How many authorize requests in a row lead to the login page.
        var loginRedirects = 0
        var nonce = ""
        var subject = ""
        var issued = 0
        /// Status of the token endpoint when it refuses, with the OAuth error.
        var tokenFault: (status: Int, error: String)?
        /// The same for refreshes alone.
        var refreshFault: (status: Int, error: String)?
        var givesRefreshTokens = true
        /// What ID tokens say of the sign-in.
        var authTime: Timestamp?
        var acr: String?
        var revokeStatus = 200
        var logoutStatus = 200
        var userinfoStatus = 200
    }

    init() throws {
        noted = NotedWaits(time)
        key = try SigningKey.generate(.ES256, keyID: "k1")
        network.on(.get, Self.serverInfo, answering: .json(#"{"_id":"*","cookieName":"\#(Self.cookieName)"}"#))
        let oauth = Self.oauth
        network.on(
            .get, oauth + "/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(oauth)","authorization_endpoint":"\(oauth)/authorize","token_endpoint":"\(oauth)/access_token",\
                "jwks_uri":"\(oauth)/connect/jwk_uri","userinfo_endpoint":"\(oauth)/userinfo",\
                "revocation_endpoint":"\(oauth)/token/revoke"}
                """))
        let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
        network.on(.get, oauth + "/connect/jwk_uri", answering: .json(keys.text))
        network.on(.get, oauth + "/authorize") { [self] in authorize($0) }
        network.on(.post, oauth + "/access_token") { [self] in token($0) }
        network.on(.post, oauth + "/token/revoke") { [self] _ in
            ClientResponse(status: state.withLock { $0.revokeStatus })
        }
        network.on(.get, oauth + "/userinfo") { [self] _ in
            let (status, subject) = state.withLock { ($0.userinfoStatus, $0.subject) }
            if status >= 400 { return .json(#"{"error":"invalid_token"}"#, status: status) }
            return .json(#"{"sub":"\#(subject)","name":"N"}"#, status: status)
        }
        network.on(.post, Self.sessions) { [self] request in
            let session = request.header(Self.cookieName) ?? ""
            let (dead, logout) = state.withLock { ($0.dead.contains(session), $0.logoutStatus) }
            let denied = ClientResponse.json(
                #"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#, status: 401)
            if request.parameters?.single("_action") == "logout" {
                return logout == 401 ? denied : .json("{}", status: logout)
            }
            return dead ? denied : .json("{}")
        }
    }

    /// How long the client has waited between attempts.
    var waits: [Duration] { noted.waits.withLock { $0 } }

    func set(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }

    /// Answers authenticate with bodies in turn, the last one for ever.
    func steps(_ bodies: String...) {
        let remaining = Locked(bodies)
        network.on(.post, Self.authenticate) { _ in
            .json(remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] })
        }
    }

    func sent(_ address: String) -> [ClientRequest] { network.requests(to: address) }

    func authorize(_ request: ClientRequest) -> ClientResponse {
        let session = request.header(Self.cookieName) ?? ""
        return state.withLock { state in
            if state.loginRedirects > 0 || state.dead.contains(session) {
                state.loginRedirects -= 1
                return .redirect(to: Self.server + "/UI/Login?goto=x")
            }
            state.nonce = request.parameters?.single("nonce") ?? ""
            state.subject = state.subjects[session] ?? "demo"
            let back = request.parameters?.single("state") ?? ""
            return .redirect(to: "https://app.example.com/bff/code?code=c1&state=\(back)&iss=\(Self.oauth)")
        }
    }

    private func token(_ request: ClientRequest) -> ClientResponse {
        let isRefresh = request.form?.single("grant_type") == "refresh_token"
        let (state, number) = state.withLock { state -> (State, Int) in
            state.issued += 1
            return (state, state.issued)
        }
        if let fault = state.tokenFault ?? (isRefresh ? state.refreshFault : nil) {
            return .json(#"{"error":"\#(fault.error)"}"#, status: fault.status)
        }
        let now = time.now().seconds
        var claims: JSONObject = [
            "iss": .string(Self.oauth), "aud": "bff", "sub": .string(state.subject), "nonce": .string(state.nonce),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
        ]
        if let authTime = state.authTime { claims["auth_time"] = .number(JSONNumber(authTime.seconds)) }
        if let acr = state.acr { claims["acr"] = .string(acr) }
        let refreshToken = state.givesRefreshTokens ? #""refresh_token":"rt-\#(number)","# : ""
        let idToken = (try? key.sign(claims: claims)) ?? ""
        return .json(
            """
            {"access_token":"at-\(number)",\(refreshToken)"id_token":"\(idToken)",\
            "token_type":"Bearer","expires_in":300,"scope":"openid profile"}
            """)
    }

    /// A client of this AM's realm `alpha`.
    func journey(
        oidc: Bool = false, redirectURI: String = "https://app.example.com/bff/code",
        parameters: [String: String] = [:], log: RecordedLog? = nil, _ more: (inout JourneyConfig) -> Void = { _ in }
    ) throws -> Journey {
        let client = try oidc ? openIDClient(redirectURI, parameters, log) : nil
        return try Journey.createJourney { config in
            config.serverUrl = Self.server
            config.realm = "alpha"
            config.transport = network
            config.time = noted
            if let client { config.oidc(client) }
            if let log { config.logger = log.logger() }
            more(&config)
        }
    }

    private func openIDClient(
        _ redirectURI: String, _ parameters: [String: String], _ log: RecordedLog?
    ) throws -> OpenIDClient {
        guard let discovery = WebURL(Self.oauth + "/.well-known/openid-configuration") else { throw BadAddress() }
        let logger = log?.logger() ?? .silent
        return OpenIDClient(
            OpenIDClientSettings(
                discovery: discovery, clientID: "bff", authentication: .basic(Secret("s3cret")),
                scopes: ["openid", "profile"], redirectURI: redirectURI, parameters: parameters),
            directory: ProviderDirectory(transport: network, time: time, logger: logger), transport: network,
            time: time, logger: logger)
    }

    struct BadAddress: Error {}
}

/// A caller with stores for session and tokens.
struct Desk {
    let session = MemoryStorage<SSOSession>()
    let tokens = MemoryStorage<TokenSet>()

    func caller(languages: [String] = [], within limit: Duration = .seconds(60)) -> Caller {
        var storages = CallerStorages()
        storages[.session] = session
        storages[.tokens] = tokens
        return Caller(languages: languages, deadline: .now + limit, requestID: "r1", storages: storages)
    }

    func signIn(_ value: String, created: Timestamp) async throws {
        try await session.save(SSOSession(value: Secret(value), created: created))
    }
}

/// A step with a name and a password.
let loginPage = """
    {"authId":"a1","callbacks":[{"type":"NameCallback","output":[{"name":"prompt","value":"User Name"}],\
    "input":[{"name":"IDToken1","value":""}],"_id":0},{"type":"PasswordCallback","output":[{"name":"prompt",\
    "value":"Password"}],"input":[{"name":"IDToken2","value":""}],"_id":1}],"stage":"UsernamePassword"}
    """

func success(_ token: String) -> String {
    #"{"tokenId":"\#(token)","successUrl":"/enduser/?realm=/alpha","realm":"/alpha"}"#
}

extension FlowStep {
    var page: ContinueNode? { if case .continue(let node) = node { node } else { nil } }
    var success: SuccessNode? { if case .success(let node) = node { node } else { nil } }
    var error: ErrorNode? { if case .error(let node) = node { node } else { nil } }
    var cause: EngineError? { if case .failure(let node) = node { node.cause } else { nil } }
}

extension ClientRequest {
    var text: String { String(decoding: body, as: UTF8.self) }
}
