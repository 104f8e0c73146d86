internal import Basics
internal import HTTPCore
internal import HTTPServer

/// `/social/…`: another identity provider, which journeys redirect users to; its page signs in any user by name, or
/// refuses.
///
/// Refuses by RFC 6749 section 4.1.2.1.
final class SocialProvider: Sendable {
    /// The id of the only client, which is the realm itself.
    static let client = "am-social"

    /// An authorization code: the user who signed in, and the redirect URI.
    struct Code: Sendable {
        let user: String
        let redirectURI: String
        let expires: Timestamp
    }

    private let codes = Locked(BoundedTable<Code>(capacity: 1000))

    func answer(_ call: SimulatedCall) -> ServerResponse {
        switch (call.method, call.segments) {
        case (.get, ["social", "authorize"]): page(call.query)
        case (.post, ["social", "authorize"]): page(call.form ?? QueryParameters())
        case (.post, ["social", "decision"]): decide(call)
        default: .amError(404, "Not Found")
        }
    }

    /// Consumes a code and returns its user; nil if the code is unknown, expired or for another redirect URI.
    func redeem(_ code: String, _ redirectURI: String, now: Timestamp) -> String? {
        guard let found = codes.withLock({ $0.remove(code) }), now < found.expires, found.redirectURI == redirectURI
        else { return nil }
        return found.user
    }

    /// The page that asks for the user, with the authorization request in hidden fields.
    private func page(_ request: QueryParameters) -> ServerResponse {
        guard isSound(request) else { return .html(400, "invalid_request") }
        let hidden = request.pairs.map {
            "<input type=\"hidden\" name=\"\(escaped($0.name))\" value=\"\(escaped($0.value))\">"
        }.joined()
        return .page(
            """
            <form method="post" action="/social/decision">\(hidden)
            <label>User <input name="user" value="demo"></label>
            <button name="decision" value="allow">Sign in</button> <button name="decision" value="deny">Refuse</button></form>
            """)
    }

    private func decide(_ call: SimulatedCall) -> ServerResponse {
        guard let form = call.form, isSound(form), let redirect = form.single("redirect_uri"),
            let state = form.single("state")
        else { return .html(400, "invalid_request") }
        var answer = QueryParameters()
        if form.single("decision") == "allow", let user = form.single("user"), !user.isEmpty {
            let code = Identifier.random(24)
            let expires = call.now + .seconds(60)
            codes.withLock { $0[code] = Code(user: user, redirectURI: redirect, expires: expires) }
            answer.append("code", code)
        } else {
            answer.append("error", "access_denied")
        }
        answer.append("state", state)
        // A parameter that no standard defines, as providers send it.
        answer.append("session_state", "s")
        guard form.single("response_mode") == "form_post" else { return .redirect(redirect + "?" + answer.encoded) }
        let fields = answer.pairs.map {
            "<input type=\"hidden\" name=\"\(escaped($0.name))\" value=\"\(escaped($0.value))\">"
        }.joined()
        return .page(
            """
            <form method="post" action="\(escaped(redirect))">\(fields)<button>Continue</button></form>
            <script>document.forms[0].submit()</script>
            """)
    }

    private func isSound(_ request: QueryParameters) -> Bool {
        request.firstRepeatedName == nil && request.single("client_id") == Self.client
            && request.single("response_type") == "code" && request.single("state")?.isEmpty == false
            && request.single("redirect_uri").flatMap({ WebURL($0) }) != nil
    }

    private func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}

extension ServerResponse {
    /// An HTML page with buttons.
    fileprivate static func page(_ body: String) -> ServerResponse {
        ServerResponse(
            status: 200, headers: [ResponseHeader("Content-Type", "text/html;charset=UTF-8")],
            body: Array("<!doctype html><html><head><title>Social</title></head><body>\(body)</body></html>".utf8))
    }
}
