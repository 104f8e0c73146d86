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

/// Runs the OpenID client against the answer of a fixture.
struct OIDCReplay {
    let fixture: Fixture
    /// The query or the form of the fixture's request.
    let sent: QueryParameters
    let url: WebURL?
    var comparison = Comparison()

    /// The fixture files of the client's part.
    static let prefixes = [
        "authorize-", "token-", "idtoken-", "discovery-", "keys-", "userinfo-", "revoke-", "end-session-", "par-",
    ]

    private init(_ fixture: Fixture) {
        self.fixture = fixture
        url = (fixture.request?["url"]?.string).flatMap { WebURL($0) }
        let text = fixture.request?["body"]?.string ?? url?.query ?? ""
        sent = QueryParameters(parsing: text) ?? QueryParameters()
    }

    /// Everything in which the client does not do as the fixture says.
    static func differences(_ fixture: Fixture) async throws -> [String] {
        var replay = OIDCReplay(fixture)
        let file = fixture.name.split(separator: "/").last ?? ""
        switch file.prefix(while: { $0 != "-" }) {
        case "authorize": try await replay.authorize()
        case "token": try await replay.token()
        case "idtoken": try await replay.idToken()
        case "discovery": try await replay.discovery()
        case "keys": try await replay.keys()
        case "userinfo": try await replay.userinfo()
        case "revoke": try await replay.revoke()
        case "par": try await replay.push()
        case "end": try await replay.endSession()
        default: replay.comparison.differs("the client has no such request")
        }
        return replay.comparison.differences
    }

    /// The secret in the fixture's Basic credentials, decoded.
    private var authentication: ClientAuthentication {
        if let header = fixture.request?["headers"]?["Authorization"]?.string, header.hasPrefix("Basic "),
            let bytes = Base64.decode(String(header.dropFirst(6)))
        {
            let parts = String(decoding: bytes, as: UTF8.self).split(separator: ":", maxSplits: 1)
            return .basic(Secret(PercentEncoding.decode(parts.last ?? "") ?? ""))
        }
        return fixture.request == nil || sent.single("client_id") == nil || url?.path.hasSuffix("/authorize") == true
            ? .basic(Secret("secret")) : .none
    }

    /// What the parts of one replay share.
    struct Setting {
        let client: OpenIDClient
        let journey: Journey
        let issuer: String
        let discovery: WebURL
        let authorizationServer: AuthorizationServer
        let provider: Provider
        var deadline: ContinuousClock.Instant { .now + .seconds(20) }
    }

    /// Runs a part against an authorization server on loopback in which the fixture answers for one endpoint.
    mutating func withClient(
        answering path: String, redirectURI: String = "https://app.example.com/callback",
        issuerPath: String = AuthorizationServer.base,
        _ reply: @escaping @Sendable (Received, AuthorizationServer) -> Reply,
        _ body: (inout OIDCReplay, Setting) async throws -> Void
    ) async throws {
        let server = try AuthorizationServer(clientID: clientID, issuerPath: issuerPath)
        let authentication = authentication
        let scopes = sent.single("scope")?.split(separator: " ").map(String.init) ?? ["openid", "profile"]
        var replay = self
        let clientID = clientID
        let isAM = fixture.settings?["am"]?.bool ?? false
        let grantsConsent = grantsConsent
        try await Provider.serving({ received in
            received.path == path ? reply(received, server) : server.answer(received)
        }) { provider in
            server.serve(at: provider.origin)
            guard let discovery = WebURL(provider.origin + AuthorizationServer.base + AuthorizationServer.wellKnown)
            else { return }
            let logger = Logger.silent
            var settings = OpenIDClientSettings(
                discovery: discovery, issuer: server.issuer, clientID: clientID,
                authentication: authentication, scopes: scopes, redirectURI: redirectURI,
                endpoints: StatedEndpoints(isAM: isAM))
            settings.grantsConsent = grantsConsent
            let client = OpenIDClient(
                settings,
                directory: ProviderDirectory(transport: provider.client, time: SystemTime(), logger: logger),
                transport: provider.client, logger: logger)
            let journey = try Journey.createJourney { config in
                config.serverUrl = provider.origin + "/am"
                config.realm = "alpha"
                config.cookie = "iPlanetDirectoryPro"
                config.transport = provider.client
                config.oidc(client)
            }
            try await body(
                &replay,
                Setting(
                    client: client, journey: journey, issuer: server.issuer, discovery: discovery,
                    authorizationServer: server, provider: provider))
        }
        self = replay
    }

    /// Whether the fixture's request is the form of a consent.
    var grantsConsent: Bool { sent.single("decision") == "allow" }

    var clientID: String {
        if let id = sent.single("client_id") { return id }
        guard case .basic = authentication,
            let header = fixture.request?["headers"]?["Authorization"]?.string,
            let bytes = Base64.decode(String(header.dropFirst(6)))
        else { return "bff" }
        let id = String(decoding: bytes, as: UTF8.self).split(separator: ":").first ?? "bff"
        return PercentEncoding.decode(id) ?? "bff"
    }

    /// Compares an outcome with `result`, `error` and `status` of the fixture.
    mutating func outcome<Value>(_ result: Result<Value, OpenIDError>, _ expect: JSONObject) {
        let word = expect["result"]?.string
        switch result {
        case .success:
            if let word, word != "code", word != "success" { comparison.differs("result: success, expected \(word)") }
        case .failure(let error):
            if let word, !error.words.contains(word) { comparison.differs("result: \(error), expected \(word)") }
            if let code = expect["error"]?.string { comparison.equal("error", error.code, code) }
            if let status = expect["status"]?.int { comparison.equal("status", error.status, Int(status)) }
            if let check = expect["check"]?.string { comparison.equal("check", error.check, check) }
        }
        for name in ["error", "status", "check"] where expect[name] != nil && result.value != nil {
            comparison.differs("expect.\(name): there is no error")
        }
    }
}

extension OpenIDError {
    /// The words of the fixtures that this error may stand for.
    var words: Set<String> {
        switch self {
        case .rejected(_, 302): ["authorizeError"]
        case .rejected: ["apiError", "rejected"]
        case .invalidGrant: ["apiError", "invalidGrant"]
        case .invalidClient: ["apiError", "invalidClient"]
        case .busy: ["apiError", "busy"]
        case .noUsableAnswer: ["apiError", "noUsableAnswer"]
        case .loginRequired: ["sessionInvalid"]
        case .consentRequired: ["consentRequired"]
        case .invalidResponse(check: "state", _): ["stateMismatch", "invalidResponse"]
        case .invalidResponse: ["invalidResponse"]
        case .invalidIDToken: ["invalidIDToken"]
        case .invalidUserinfo: ["invalidUserinfo"]
        case .configuration, .noRevocation: ["configurationError"]
        case .notReached, .cancelled, .noRefreshToken: []
        }
    }

    /// The rule that an answer or a token breaks.
    var check: String {
        switch self {
        case .invalidResponse(let check, _), .invalidIDToken(let check, _): check
        default: ""
        }
    }

    /// The OAuth error code.
    var code: String {
        switch self {
        case .rejected(let code, _): code
        case .invalidGrant: "invalid_grant"
        case .invalidClient: "invalid_client"
        default: ""
        }
    }

    /// The HTTP status that the error stands for.
    var status: Int {
        switch self {
        case .rejected(_, let status): status
        // Of the userinfo endpoint: the access token is not taken.
        case .invalidGrant: 401
        default: 0
        }
    }
}

extension Result where Failure == OpenIDError {
    var value: Success? { try? get() }
}

/// The outcome of a call.
func attempt<Value>(_ call: () async throws(OpenIDError) -> Value) async -> Result<Value, OpenIDError> {
    do { return .success(try await call()) } catch { return .failure(error) }
}
