internal import Basics
package import DaVinciClient
internal import Discovery
package import HTTPCore
internal import JOSE
package import JSON
package import OpenIDConnect
package import Orchestrate
package import StorageKit

/// A PingOne environment in memory: a scripted network with real keys.
package final class ScriptedPingOne: Sendable {
    package static let base = "https://auth.pingone.example/env"
    package static let authorize = base + "/as/authorize"
    package static let next = base + "/davinci/connections/c1/capabilities/customForm"
    package static let resume = next + "/continue"
    package static let status = base + "/davinci/user/credentials/challenge/ch%201/status"
    package static let token = base + "/as/token"
    package static let userinfo = base + "/as/userinfo"
    package static let signOff = base + "/as/signoff"
    package static let pingSignOff = base + "/as/idpSignoff"

    package let network = ScriptedTransport()
    package let time = ManualTime()
    private let key: SigningKey
    private let nonces = Locked<[String]>([])
    private let tokenStatus = Locked(200)
    private let signedInAgo = Locked(Int64(0))
    private let policy = Locked("")
    private let subject = Locked("user-1")
    private let refreshes = Locked(true)
    private let sessionID = Locked<String?>(nil)

    /// - Parameters:
    ///   - hasPingSignOff: Whether there is PingOne's own endpoint to end a session besides.
    ///   - hasUserinfo: Whether there is an endpoint for claims.
    /// - Throws: Whatever making a key throws.
    package init(hasPingSignOff: Bool = false, hasUserinfo: Bool = false) throws {
        key = try SigningKey.generate(.ES256, keyID: "k1")
        let base = Self.base
        var more = hasPingSignOff ? #","ping_end_idp_session_endpoint":"\#(Self.pingSignOff)""# : ""
        if hasUserinfo { more += #","userinfo_endpoint":"\#(base)/as/userinfo""# }
        network.on(
            .get, base + "/as/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(base)/as","authorization_endpoint":"\(base)/as/authorize","token_endpoint":"\(base)/as/token",\
                "jwks_uri":"\(base)/as/jwks","revocation_endpoint":"\(base)/as/revoke","end_session_endpoint":"\(base)/as/signoff",\
                "pushed_authorization_request_endpoint":"\(base)/as/par"\(more)}
                """))
        let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
        network.on(.get, base + "/as/jwks", answering: .json(keys.text))
        network.on(.post, base + "/as/revoke", answering: ClientResponse(status: 200))
        network.on(.get, Self.signOff, answering: ClientResponse(status: 204))
        network.on(.post, base + "/as/token") { [self] _ in token() }
        network.on(.post, base + "/as/par") { [self] request in
            note(request.form)
            return .json(#"{"request_uri":"urn:x","expires_in":60}"#, status: 201)
        }
    }

    private func note(_ parameters: QueryParameters?) {
        if let value = parameters?.single("nonce") { nonces.withLock { $0.append(value) } }
        if let value = parameters?.single("acr_values") { policy.withLock { $0 = value } }
    }

    /// Answers every start with this.
    package func starts(_ answer: ClientResponse) {
        for method in [HTTPMethod.get, .post] {
            network.on(method, Self.authorize) { [self] request in
                note(method == .get ? request.parameters : request.form)
                return answer
            }
        }
    }

    package func starts(_ body: String) { starts(.json(body)) }

    /// Answers the pages in turn, the last answer for ever.
    package func answers(_ bodies: String...) { network.on(.post, Self.next, inTurn: bodies.map { .json($0) }) }

    package func answers(_ response: ClientResponse) { network.on(.post, Self.next, answering: response) }

    package func refusesTokens(_ status: Int) { tokenStatus.withLock { $0 = status } }

    /// The user has signed in so many seconds before each ID token.
    package func signsIn(ago seconds: Int64) { signedInAgo.withLock { $0 = seconds } }

    /// Whom tokens are about from now on.
    package func signsIn(_ user: String) { subject.withLock { $0 = user } }

    /// What ID tokens call the session from now on; they name none before.
    package func namesSession(_ name: String?) { sessionID.withLock { $0 = name } }

    /// Gives no refresh tokens from now on.
    package func givesNoRefreshTokens() { refreshes.withLock { $0 = false } }

    /// Gives tokens for the start before the last one.
    package func forgetsLastStart() { nonces.withLock { _ = $0.popLast() } }

    package func sent(_ address: String) -> [ClientRequest] { network.requests(to: address) }

    /// The body of the newest answer to a page.
    package var body: JSONValue? { sent(Self.next).last.flatMap { try? JSONValue(parsing: $0.body) } }

    private func token() -> ClientResponse {
        let status = tokenStatus.withLock { $0 }
        guard status == 200 else { return .json(#"{"error":"invalid_request"}"#, status: status) }
        let now = time.now().seconds
        var claims: JSONObject = [
            "iss": .string(Self.base + "/as"), "aud": "web", "sub": .string(subject.withLock { $0 }),
            "acr": .string(policy.withLock { $0 }), "nonce": .string(nonces.withLock { $0.last ?? "" }),
            "iat": .init(now), "exp": .init(now + 600), "auth_time": .init(now - signedInAgo.withLock { $0 }),
        ]
        claims["sid"] = sessionID.withLock { $0 }.map { .string($0) }
        let idToken = (try? key.sign(claims: claims)) ?? ""
        let refresh = refreshes.withLock { $0 } ? #""refresh_token":"rt-1","# : ""
        return .json(
            """
            {"access_token":"at-1",\(refresh)"id_token":"\(idToken)","token_type":"Bearer","expires_in":300,\
            "scope":"openid"}
            """)
    }

    /// A client of the environment.
    package func davinci(
        _ more: (inout DaVinciConfig) -> Void = { _ in }, oidc: (inout OIDCConfig) -> Void = { _ in }
    ) throws -> DaVinci {
        try DaVinci.createDaVinci { config in
            config.transport = network
            config.time = time
            config.oidc { settings in
                settings.discovery = Self.base + "/as/.well-known/openid-configuration"
                settings.clientID = "web"
                settings.redirectURI = "https://app.example.com/callback"
                settings.callersBringStorage = true
                oidc(&settings)
            }
            more(&config)
        }
    }

    /// A page with fields, as a JSON text.
    package static func page(
        _ fields: String, values: String = "{}", more: String = "", id: String = "n1", token: String = "t1"
    ) -> String {
        """
        {"interactionId":"i1","interactionToken":"\(token)","id":"\(id)","eventName":"continue",\(more)\
        "_links":{"next":{"href":"\(next)"},"continue":{"href":"\(resume)"}},"formData":{"value":\(values)},\
        "form":{"name":"Page","description":"Text","category":"CUSTOM_FORM","components":{"fields":[\(fields)]}}}
        """
    }

    /// A page as a value, for what needs no network.
    package static func parsed(_ fields: String, values: String = "{}", more: String = "") throws -> DaVinciPage {
        DaVinciPage(try JSONValue(parsing: page(fields, values: values, more: more)).object ?? [:])
    }

    package static let success = """
        {"interactionId":"i1","status":"COMPLETED","session":{"id":"s1"},"authorizeResponse":{"code":"c1"},\
        "_links":{"next":{"href":"\(next)"}}}
        """
}

extension ScriptedTransport {
    package func on(_ method: HTTPMethod, _ address: String, inTurn responses: [ClientResponse]) {
        let remaining = Locked(responses)
        on(method, address) { _ in
            remaining.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? ClientResponse(status: 500) }
        }
    }
}

/// A caller with stores for session and tokens.
package struct PingDesk {
    package let session = MemoryStorage<DaVinciSession>()
    package let tokens = MemoryStorage<TokenSet>()

    package init() {}

    package func caller(_ languages: String...) -> Caller {
        var storages = CallerStorages()
        storages[.davinciSession] = session
        storages[.tokens] = tokens
        return Caller(languages: languages, deadline: .now + .seconds(60), requestID: "r1", storages: storages)
    }
}

/// A name, a password and buttons.
package let signOnFields = """
    {"type":"TEXT","key":"username","label":"Username"},{"type":"PASSWORD","key":"password","label":"Password"},\
    {"type":"SUBMIT_BUTTON","key":"SIGNON","label":"Sign on"},{"type":"FLOW_BUTTON","key":"TROUBLE","label":"Trouble?"}
    """

extension FlowStep {
    package var page: ContinueNode? { if case .continue(let node) = node { node } else { nil } }
    package var success: SuccessNode? { if case .success(let node) = node { node } else { nil } }
    package var error: ErrorNode? { if case .error(let node) = node { node } else { nil } }
    package var cause: EngineError? { if case .failure(let node) = node { node.cause } else { nil } }
    package var reason: DaVinciFlowError.Reason? { cause?.davinci?.reason }
}

extension ClientRequest {
    /// A header by its name.
    package func field(_ name: String) -> String? {
        (try? HTTPField.Name(checking: name)).flatMap { fields[values: $0].first }
    }
}
