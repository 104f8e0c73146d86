internal import Basics
internal import HTTPCore
internal import JOSE
internal import OpenIDConnect

extension SettingsReader {
    /// The registration of a client; nil when it cannot be used, which was reported.
    ///
    /// `discovery` is where the realm publishes its document, unless the section names another place.
    func readOpenID(_ section: Section, discovery: WebURL?, insecure: Bool) -> OpenIDClientSettings? {
        let clientID = section.required("clientId", .text("the client id", bytes: 1...256))
        let authentication = readAuthentication(section)
        let scopes = readScopes(section)
        let redirectURI = section.required(
            "redirectUri", .protectedAddress(insecure, "the redirect URI of the registration"))
        let place = section.value("discovery", .protectedAddress(insecure, "the address of the discovery document"))
        let issuer = section.value("issuer", .protectedAddress(insecure, "the issuer, as the provider spells it"))
        guard let clientID, let authentication, let scopes, let redirectURI,
            let place = place.flatMap({ WebURL($0) }) ?? discovery
        else {
            _ = readDetails(section, nil)
            return nil
        }
        return readDetails(
            section,
            OpenIDClientSettings(
                discovery: place, issuer: issuer, clientID: clientID, authentication: authentication, scopes: scopes,
                redirectURI: redirectURI, insecureHTTP: insecure))
    }

    /// What has a default, and the end of the section.
    private func readDetails(_ section: Section, _ settings: OpenIDClientSettings?) -> OpenIDClientSettings? {
        let acrValues = section.list("acrValues", .word("an acr value without spaces"))
        let algorithms = section.list("algorithms", .algorithm)
        let leeway = section.value("leeway", .duration(.zero ... .seconds(300)))
        let origins = section.list("endpointOrigins", .origin)
        let lifetime = section.value("defaultLifetime", .duration(.seconds(10) ... .seconds(86_400)))
        section.later("parameters")
        section.later("par")
        section.later("privateKeyFile")
        section.finish()
        guard var settings else { return nil }
        if let origins { settings.endpointOrigins = Set(origins) }
        if let acrValues { settings.acrValues = acrValues }
        if let algorithms, !algorithms.isEmpty { settings.algorithms = Set(algorithms) }
        if let leeway { settings.leeway = leeway }
        if let lifetime { settings.defaultLifetime = lifetime }
        return settings
    }

    private enum Method { case basic, post, none, privateKey }

    private func readAuthentication(_ section: Section) -> ClientAuthentication? {
        let method = section.value(
            "clientAuthentication",
            .choice([
                "client_secret_basic": Method.basic, "client_secret_post": .post, "none": .none,
                "private_key_jwt": .privateKey,
            ]))
        let secret = section.secret("clientSecret")
        let hasSecret = section.contains("clientSecret") || section.contains("clientSecretFile")
        let key = section.key("clientAuthentication")
        switch method {
        case .privateKey?:
            context.report(key, "private_key_jwt is not supported yet")
            return nil
        case .none? where hasSecret:
            context.report(key, "expected client_secret_basic or client_secret_post, because there is a secret")
            return nil
        case .none?: return ClientAuthentication.none
        case .post?, .basic?, nil:
            guard hasSecret else {
                if !context.isReported(key) {
                    context.report(
                        section.key("clientSecretFile"), line: section.line,
                        "is missing; a client without a secret needs clientAuthentication: none")
                }
                return nil
            }
            return secret.map { method == .post ? .post($0) : .basic($0) }
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
