import Basics
import HTTPCore
import JOSE
import JSON

/// Answers for every endpoint that the fixture under replay does not answer for, and signs ID tokens.
final class AuthorizationServer: Sendable {
    static let base = "/am/oauth2/realms/root/realms/alpha"
    static let wellKnown = "/.well-known/openid-configuration"

    private struct State {
        var origin = ""
        var nonce = ""
        var state = ""
        var code = "c0d3"
    }

    private let key: SigningKey
    private let clientID: String
    private let issuerPath: String
    private let state = Locked(State())

    init(clientID: String, issuerPath: String) throws {
        key = try SigningKey.generate(.ES256, keyID: "harness")
        self.clientID = clientID
        self.issuerPath = issuerPath
    }

    func serve(at origin: String) {
        state.withLock { $0.origin = origin }
    }

    var origin: String { state.withLock { $0.origin } }
    var issuer: String { origin + issuerPath }

    /// Sets the code of the next redirect.
    func issue(_ code: String) {
        state.withLock { $0.code = code }
    }

    /// Remembers what an authorize request asked for.
    func note(_ request: Received) {
        let parameters = request.parameters
        state.withLock { state in
            state.nonce = parameters.single("nonce") ?? ""
            state.state = parameters.single("state") ?? ""
        }
    }

    var lastState: String { state.withLock { $0.state } }

    func answer(_ request: Received) -> Reply? {
        let base = origin + Self.base
        switch request.path {
        case Self.base + Self.wellKnown:
            return .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(base)/authorize",\
                "token_endpoint":"\(base)/access_token","jwks_uri":"\(base)/connect/jwk_uri",\
                "userinfo_endpoint":"\(base)/userinfo","revocation_endpoint":"\(base)/token/revoke",\
                "end_session_endpoint":"\(base)/connect/endSession"}
                """)
        case Self.base + "/connect/jwk_uri":
            let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
            return .json(keys.text)
        case Self.base + "/authorize":
            note(request)
            return redirect(request, code: state.withLock { $0.code })
        case Self.base + "/access_token":
            return .json(#"{"access_token":"at-1","id_token":"\#(idToken())","token_type":"Bearer","expires_in":300}"#)
        default:
            return nil
        }
    }

    /// The redirect of a successful authorize request.
    private func redirect(_ request: Received, code: String) -> Reply {
        let redirectURI = request.parameters.single("redirect_uri") ?? ""
        let state = request.parameters.single("state") ?? ""
        return Reply(
            302,
            [
                (
                    "Location",
                    redirectURI + "?code=\(PercentEncoding.encode(code))&state=\(PercentEncoding.encode(state))"
                )
            ], "")
    }

    /// An ID token for the last authorize request, in place of one that a fixture cut short.
    func idToken(subject: String = "demo") -> String {
        let now = SystemTime().now().seconds
        let nonce = state.withLock { $0.nonce }
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(clientID), "sub": .string(subject),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
        ]
        if !nonce.isEmpty { claims["nonce"] = .string(nonce) }
        return (try? key.sign(claims: claims)) ?? ""
    }
}
