package import Basics
internal import Discovery
package import HTTPCore
package import JOSE
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
        guard let clientID, let authentication, let scopes, let redirectURI,
            let place = place.flatMap({ WebURL($0) }) ?? discovery
        else {
            _ = readDetails(nil, isAM: isAM)
            return nil
        }
        return readDetails(
            OpenIDClientSettings(
                discovery: place, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
                redirectURI: redirectURI, insecureHTTP: insecure, endpoints: endpoints), isAM: isAM)
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

    /// Reads the keys with defaults, and ends the section.
    private func readDetails(_ settings: OpenIDClientSettings?, isAM: Bool) -> OpenIDClientSettings? {
        let acrValues = list("acrValues", .word("an acr value without spaces"))
        let algorithms = someOf("algorithms", .idTokenAlgorithm)
        let leeway = value("leeway", .duration(.zero ... .seconds(300)))
        let origins = list("endpointOrigins", .origin)
        let lifetime = value("defaultLifetime", .duration(.seconds(10) ... .seconds(86_400)))
        let parameters = texts(
            "parameters", named: .authorizationParameter, .text("a text of up to 1024 bytes", bytes: 1...1024))
        let consent = isAM ? value("consent", .choice(["refuse": false, "grant": true])) : nil
        let par = value("par", .flag)
        if !isAM { later("consent", "is for journeys") }
        later("privateKeyFile")
        finish()
        guard var settings else { return nil }
        if let origins { settings.endpointOrigins = Set(origins) }
        settings.parameters = parameters
        if let acrValues { settings.acrValues = acrValues }
        if let par { settings.par = par }
        if let algorithms {
            settings.algorithms = Set(algorithms.compactMap(\.signature))
            settings.macAlgorithms = Set(algorithms.compactMap(\.mac))
            checkSecret(settings)
        }
        if let leeway { settings.leeway = leeway }
        if let lifetime { settings.defaultLifetime = lifetime }
        if let consent { settings.grantsConsent = consent }
        return settings
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

extension ValueForm where Value == String {
    /// A parameter of the authorization request that neither the client nor a start sets, and that leaves the provider
    /// session unchanged.
    ///
    /// Names are compared without case, because a server may do so.
    fileprivate static var authorizationParameter: Self {
        ValueForm(expected: "a parameter that the client does not set itself") { text in
            let reserved = OpenIDClientSettings.reservedParameters.union(["ui_locales", "prompt", "max_age"])
            return reserved.contains(text.lowercased()) ? nil : word("").parse(text)
        }
    }

    /// An origin, letter by letter as browsers write it.
    package static var origin: Self {
        ValueForm(expected: "an origin like https://login.example.com") { text in
            WebURL(text).flatMap { $0.origin == text ? text : nil }
        }
    }
}

extension ValueForm {
    /// The algorithm of a signature.
    package static func algorithm() -> ValueForm<JWSAlgorithm> where Value == JWSAlgorithm {
        ValueForm<JWSAlgorithm>(expected: "one of " + JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")) {
            JWSAlgorithm(rawValue: $0)
        }
    }
}

/// The protection of an ID token: a signature or, where the list names it, a MAC with the client secret.
private struct IDTokenAlgorithm: Sendable {
    let signature: JWSAlgorithm?
    let mac: MACAlgorithm?
}

extension ValueForm where Value == IDTokenAlgorithm {
    fileprivate static var idTokenAlgorithm: Self {
        let names = JWSAlgorithm.allCases.map(\.rawValue) + MACAlgorithm.allCases.map(\.rawValue)
        return ValueForm(expected: "one of " + names.joined(separator: ", ")) { text in
            let algorithm = IDTokenAlgorithm(
                signature: JWSAlgorithm(rawValue: text), mac: MACAlgorithm(rawValue: text))
            return algorithm.signature == nil && algorithm.mac == nil ? nil : algorithm
        }
    }
}
