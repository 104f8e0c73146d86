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
        var client = ""
        var acr = ""
    }

    private let key: SigningKey
    /// Of the same name, and published nowhere.
    private let stranger: SigningKey
    private let clientID: String
    private let issuerPath: String
    private let state = Locked(State())

    init(clientID: String, issuerPath: String) throws {
        key = try SigningKey.generate(.ES256, keyID: "harness")
        stranger = try SigningKey.generate(.ES256, keyID: "harness")
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
            state.client = parameters.single("client_id") ?? ""
            state.acr = parameters.single("acr_values")?.split(separator: " ").first.map(String.init) ?? ""
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
                "end_session_endpoint":"\(base)/connect/endSession","pushed_authorization_request_endpoint":"\(base)/par"}
                """)
        case Self.base + "/connect/jwk_uri":
            return keys
        case Self.base + "/authorize":
            note(request)
            return redirect(request, code: state.withLock { $0.code })
        case Self.base + "/access_token":
            return .json(#"{"access_token":"at-1","id_token":"\#(idToken())","token_type":"Bearer","expires_in":300}"#)
        case let path where path.hasSuffix("/sessions"):
            // AM's own words for a session that it does not know.
            let body = #"{"code":401,"reason":"Unauthorized","message":"Access Denied"}"#
            return Reply(401, [("Content-Type", "application/json")], body)
        case let path where path.hasSuffix("/serverinfo/*"):
            return .json(#"{"cookieName":"iPlanetDirectoryPro"}"#)
        default:
            return nil
        }
    }

    /// The key set.
    var keys: Reply {
        let keys: JSONObject = ["keys": [.object(key.publicJWK)]]
        return .json(keys.text)
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
    ///
    /// - Parameters:
    ///   - subject: `sub`.
    ///   - age: How long ago the user authenticated, in seconds.
    /// - Returns: A token for the client of that request, of the best class that it asked for.
    func idToken(subject: String = "demo", age: Int64 = 0) -> String {
        let now = SystemTime().now().seconds
        let (nonce, client, acr) = state.withLock { ($0.nonce, $0.client, $0.acr) }
        var claims: JSONObject = [
            "iss": .string(issuer), "aud": .string(client.isEmpty ? clientID : client), "sub": .string(subject),
            "auth_time": .number(JSONNumber(now - age)),
            "iat": .number(JSONNumber(now)), "exp": .number(JSONNumber(now + 600)),
        ]
        if !nonce.isEmpty { claims["nonce"] = .string(nonce) }
        if !acr.isEmpty { claims["acr"] = .string(acr) }
        return (try? key.sign(claims: claims)) ?? ""
    }

    /// A fixture's ID token as the answer to the last authorize request; nil when it cannot be signed.
    func sign(_ token: WrittenToken, by isStranger: Bool) -> String? {
        let (nonce, sent, code) = state.withLock { ($0.nonce, $0.state, $0.code) }
        let values = [
            "issuer": issuer, "client": clientID, "nonce": nonce, "at_hash": WrittenToken.half(of: "at-1"),
            "c_hash": WrittenToken.half(of: code), "s_hash": WrittenToken.half(of: sent),
        ]
        let claims = token.claims(values, now: SystemTime().now().seconds)
        return try? token.compact(claims, isStranger ? stranger : key)
    }
}
