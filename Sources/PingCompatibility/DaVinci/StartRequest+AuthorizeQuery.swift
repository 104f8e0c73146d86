package import BFF
internal import Basics
package import HTTPCore

extension StartRequest {
    /// Reads the query of a request that begins a DaVinci flow, as Ping's programs send it.
    ///
    /// Parameters of OAuth itself are those of the server's own client; others are for PingOne, if the client's
    /// configuration allows them.
    ///
    /// - Throws: `.malformed` with the first parameter that cannot be read.
    package init(authorizeQuery query: QueryParameters) throws(BFFError) {
        self.init()
        for (name, value) in query.pairs where !Self.ofOAuth.contains(name) {
            guard name.isPlain(upTo: 64), value.isPlain(upTo: 2048) else { throw .malformed(field: "parameters") }
            switch name {
            case "acr_values": acrValues = value.split(byte: " ").map { String($0) }
            case "prompt": prompt = value
            case "login_hint": loginHint = value
            case "ui_locales":
                uiLocales = value.split(byte: " ").map { String($0) }
                guard uiLocales.allSatisfy(AcceptLanguage.isTag) else { throw .malformed(field: name) }
            default: parameters[name] = value
            }
        }
    }

    private static let ofOAuth: Set<String> = [
        "response_mode", "response_type", "client_id", "scope", "redirect_uri", "code_challenge",
        "code_challenge_method", "state", "nonce",
    ]
}
