internal import Basics
internal import Discovery
internal import HTTPCore
internal import JOSE
internal import OpenIDConnect

extension SettingsReader {
    /// Reads the OpenID registration of a client; nil when it cannot be used, which was reported.
    ///
    /// `discovery` is the address of the realm's document, unless the section has another one; `isAM` is true if the
    /// provider is an AM.
    func readOpenID(
        _ section: Section, discovery: WebURL?, insecure: Bool, isAM: Bool
    ) -> OpenIDClientSettings? {
        let clientID = section.required("clientId", .text("the client id", bytes: 1...256))
        let authentication = readAuthentication(section)
        let scopes = readScopes(section)
        let redirectURI = section.required(
            "redirectUri", .protectedAddress(insecure, "the redirect URI of the registration"))
        let document = ValueForm.protectedAddress(insecure, "the address of the discovery document")
        let place = isAM ? section.value("discovery", document) : section.required("discovery", document)
        let issuer = section.value("issuer", .protectedAddress(insecure, "the issuer, as the provider spells it"))
        let endpoints = readEndpoints(section, insecure: insecure, isAM: isAM)
        guard let clientID, let authentication, let scopes, let redirectURI,
            let place = place.flatMap({ WebURL($0) }) ?? discovery
        else {
            _ = readDetails(section, nil, isAM: isAM)
            return nil
        }
        return readDetails(
            section,
            OpenIDClientSettings(
                discovery: place, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
                redirectURI: redirectURI, insecureHTTP: insecure, endpoints: endpoints), isAM: isAM)
    }

    /// Reads the endpoints that a discovery document may omit.
    private func readEndpoints(_ section: Section, insecure: Bool, isAM: Bool) -> StatedEndpoints {
        func address(_ name: String, _ what: String) -> WebURL? {
            section.value(name, .protectedAddress(insecure, "the address of the \(what) endpoint")).flatMap {
                WebURL($0)
            }
        }
        return StatedEndpoints(
            revocation: address("revocationEndpoint", "revocation"),
            introspection: address("introspectionEndpoint", "introspection"),
            endSession: address("endSessionEndpoint", "end session"), isAM: isAM)
    }

    /// Reads the keys with defaults, and ends the section.
    private func readDetails(
        _ section: Section, _ settings: OpenIDClientSettings?, isAM: Bool
    ) -> OpenIDClientSettings? {
        let acrValues = section.list("acrValues", .word("an acr value without spaces"))
        let algorithms = section.someOf("algorithms", .idTokenAlgorithm)
        let leeway = section.value("leeway", .duration(.zero ... .seconds(300)))
        let origins = section.list("endpointOrigins", .origin)
        let lifetime = section.value("defaultLifetime", .duration(.seconds(10) ... .seconds(86_400)))
        let parameters = section.texts(
            "parameters", named: .authorizationParameter, .text("a text of up to 1024 bytes", bytes: 1...1024))
        let consent = isAM ? section.value("consent", .choice(["refuse": false, "grant": true])) : nil
        let par = section.value("par", .flag)
        if !isAM { section.later("consent", "is for journeys") }
        section.later("privateKeyFile")
        section.finish()
        guard var settings else { return nil }
        if let origins { settings.endpointOrigins = Set(origins) }
        settings.parameters = parameters
        if let acrValues { settings.acrValues = acrValues }
        if let par { settings.par = par }
        if !isAM, settings.acrValues.count > 1 {
            context.report(section.key("acrValues"), "expected one policy: PingOne does not try several in turn")
        }
        if let algorithms {
            settings.algorithms = Set(algorithms.compactMap(\.signature))
            settings.macAlgorithms = Set(algorithms.compactMap(\.mac))
            checkSecret(section, settings)
        }
        if let leeway { settings.leeway = leeway }
        if let lifetime { settings.defaultLifetime = lifetime }
        if let consent { settings.grantsConsent = consent }
        return settings
    }

    /// Requires a client secret that is hard to guess where ID tokens are protected with it (RFC 7518 section 3.2).
    private func checkSecret(_ section: Section, _ settings: OpenIDClientSettings) {
        guard let longest = settings.macAlgorithms.max(by: { $0.leastSecretBytes < $1.leastSecretBytes }) else {
            return
        }
        let need = "\(longest.rawValue) needs a client secret of at least \(longest.leastSecretBytes) bytes"
        guard (settings.authentication.secret?.reveal().utf8.count ?? 0) < longest.leastSecretBytes else { return }
        context.report(section.key("algorithms"), need)
    }

    private enum Method { case basic, basicRaw, post, none, privateKey }

    private func readAuthentication(_ section: Section) -> ClientAuthentication? {
        let method = section.value(
            "clientAuthentication",
            .choice([
                "client_secret_basic": Method.basic, "client_secret_basic_raw": .basicRaw, "client_secret_post": .post,
                "none": .none, "private_key_jwt": .privateKey,
            ]))
        let secret = section.secret("clientSecret")
        let hasSecret = section.contains("clientSecret") || section.contains("clientSecretFile")
        let key = section.key("clientAuthentication")
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
                        section.key("clientSecretFile"), line: section.line,
                        "is missing; a client without a secret needs clientAuthentication: none")
                }
                return nil
            }
            if method == .basicRaw, section.rawText("clientId")?.contains(":") == true {
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

    private func readScopes(_ section: Section) -> [String]? {
        let key = section.key("scopes")
        guard let scopes = section.list("scopes", .word("a scope without spaces")) else {
            if !section.contains("scopes") {
                context.report(key, line: section.line, "is missing; expected a list of scopes with openid")
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
    static var authorizationParameter: Self {
        ValueForm(expected: "a parameter that the client does not set itself") { text in
            let reserved = OpenIDClientSettings.reservedParameters.union(["ui_locales", "prompt", "max_age"])
            return reserved.contains(text.lowercased()) ? nil : word("").parse(text)
        }
    }

    static var origin: Self {
        ValueForm(expected: "an origin like https://login.example.com") { text in
            WebURL(text).flatMap { $0.origin == text ? text : nil }
        }
    }
}

extension ValueForm where Value == JWSAlgorithm {
    static var algorithm: Self {
        ValueForm(expected: "one of " + JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")) {
            JWSAlgorithm(rawValue: $0)
        }
    }
}

/// The protection of an ID token: a signature or, where the list names it, a MAC with the client secret.
struct IDTokenAlgorithm: Sendable {
    let signature: JWSAlgorithm?
    let mac: MACAlgorithm?
}

extension ValueForm where Value == IDTokenAlgorithm {
    static var idTokenAlgorithm: Self {
        let names = JWSAlgorithm.allCases.map(\.rawValue) + MACAlgorithm.allCases.map(\.rawValue)
        return ValueForm(expected: "one of " + names.joined(separator: ", ")) { text in
            let algorithm = IDTokenAlgorithm(
                signature: JWSAlgorithm(rawValue: text), mac: MACAlgorithm(rawValue: text))
            return algorithm.signature == nil && algorithm.mac == nil ? nil : algorithm
        }
    }
}
