internal import Basics
internal import Discovery
package import HTTPCore
internal import JOSE
package import OpenIDConnect
package import SettingsKit

extension Section {
    /// Reads the OpenID registration of a client; nil when it cannot be used, which was reported.
    ///
    /// `discovery` is the address of the realm's document, unless the section has another one; `isAM` is true if the
    /// provider is an AM.
    package func readOpenID(discovery: WebURL?, insecure: Bool, isAM: Bool) -> OpenIDClientSettings? {
        let clientID = required("clientId", .text("the client id", bytes: 1...256))
        let authentication = readAuthentication()
        let scopes = readScopes()
        let redirectURI = required(
            "redirectUri", .protectedAddress(insecure, "the redirect URI of the registration"))
        let document = ValueForm.protectedAddress(insecure, "the address of the discovery document")
        let place = isAM ? value("discovery", document) : required("discovery", document)
        let issuer = value("issuer", .protectedAddress(insecure, "the issuer, as the provider spells it"))
        let endpoints = readEndpoints(insecure: insecure, isAM: isAM)
        let settings = OpenIDClientSettings.settings + (isAM ? OpenIDClientSettings.settingsOfAM : [])
        let optional = settings.read(self)
        if !isAM { later("consent", "is for journeys") }
        later("privateKeyFile")
        finish()
        guard let clientID, let authentication, let scopes, let redirectURI,
            let place = place.flatMap({ WebURL($0) }) ?? discovery
        else { return nil }
        var registration = OpenIDClientSettings(
            discovery: place, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
            redirectURI: redirectURI, insecureHTTP: insecure, endpoints: endpoints)
        optional(&registration)
        checkSecret(registration)
        return registration
    }

    /// Reads the endpoints that a discovery document may omit.
    private func readEndpoints(insecure: Bool, isAM: Bool) -> StatedEndpoints {
        func address(_ name: String, _ what: String) -> WebURL? {
            value(name, .protectedAddress(insecure, "the address of the \(what) endpoint")).flatMap {
                WebURL($0)
            }
        }
        return StatedEndpoints(
            revocation: address("revocationEndpoint", "revocation"),
            introspection: address("introspectionEndpoint", "introspection"),
            endSession: address("endSessionEndpoint", "end session"), isAM: isAM)
    }

    /// Requires a client secret that is hard to guess where ID tokens are protected with it (RFC 7518 section 3.2).
    private func checkSecret(_ settings: OpenIDClientSettings) {
        guard let longest = settings.macAlgorithms.max(by: { $0.leastSecretBytes < $1.leastSecretBytes }) else {
            return
        }
        let need = "\(longest.rawValue) needs a client secret of at least \(longest.leastSecretBytes) bytes"
        guard (settings.authentication.secret?.reveal().utf8.count ?? 0) < longest.leastSecretBytes else { return }
        context.report(self.key("algorithms"), need)
    }

    private enum Method { case basic, basicRaw, post, none, privateKey }

    private func readAuthentication() -> ClientAuthentication? {
        let method = value(
            "clientAuthentication",
            .choice([
                "client_secret_basic": Method.basic, "client_secret_basic_raw": .basicRaw, "client_secret_post": .post,
                "none": .none, "private_key_jwt": .privateKey,
            ]))
        let secret = secret("clientSecret")
        let hasSecret = contains("clientSecret") || contains("clientSecretFile")
        let key = self.key("clientAuthentication")
        switch method {
        case .privateKey?:
            context.report(key, "private_key_jwt is not supported")
            return nil
        case .none? where hasSecret:
            context.report(key, "expected client_secret_basic or client_secret_post, because there is a secret")
            return nil
        case .none?: return ClientAuthentication.none
        case .post?, .basic?, .basicRaw?, nil:
            guard hasSecret else {
                if !context.isReported(key) {
                    context.report(
                        self.key("clientSecretFile"), line: line,
                        "is missing; a client without a secret needs clientAuthentication: none")
                }
                return nil
            }
            if method == .basicRaw, rawText("clientId")?.contains(":") == true {
                context.report(key, "expected client_secret_basic or client_secret_post, because clientId has a colon")
            }
            return secret.map { secret in
                switch method {
                case .post?: .post(secret)
                case .basicRaw?: .basicRaw(secret)
                default: .basic(secret)
                }
            }
        }
    }

    private func readScopes() -> [String]? {
        let key = self.key("scopes")
        guard let scopes = list("scopes", .word("a scope without spaces")) else {
            if !contains("scopes") {
                context.report(key, line: line, "is missing; expected a list of scopes with openid")
            }
            return nil
        }
        guard scopes.contains("openid") else {
            if !context.isReported(key) { context.report(key, "expected openid among the scopes") }
            return nil
        }
        return scopes
    }
}
