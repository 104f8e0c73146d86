internal import Basics
internal import HTTPCore
internal import JOSE
internal import ProductKit
internal import ResourceServer
internal import SettingsKit

extension SettingsReader {
    /// Reads the list `issuers`, whose tokens bearer callers may use.
    func readIssuers(_ top: Section) -> [TrustedIssuer] {
        var issuers: [TrustedIssuer] = []
        for entry in top.entries("issuers") ?? [] {
            guard let issuer = readIssuer(entry) else { continue }
            if !(issuers + [issuer]).areDistinct {
                context.report(
                    entry.key("issuer"), line: entry.line(of: "issuer"),
                    "is listed twice; entries of one issuer need clients, each client in one of them")
                continue
            }
            issuers.append(issuer)
        }
        return issuers
    }

    private func readIssuer(_ entry: Section) -> TrustedIssuer? {
        guard entry.exists else { return nil }
        let insecure = entry.value("insecureHttp", .flag) ?? false
        let name = entry.required("issuer", .protectedAddress(insecure, "the issuer, as it stands in its tokens"))
        let spelling = ValueForm.protectedAddress(insecure, "another spelling of the issuer")
        let alsoAccepts = entry.list("alsoAccepts", spelling) ?? []
        let place = entry.value("discovery", .protectedAddress(insecure, "the address of the discovery document"))
        let profile = entry.required(
            "profile", .choice(["am": TokenProfile.am, "rfc9068": .rfc9068, "jwt": .jwt, "pingOne": .pingOne]))
        let audiences = entry.someOf("audiences", .text("an audience", bytes: 1...256)) ?? []
        let clients = entry.someOf("clients", .text("a client id", bytes: 1...256)) ?? []
        let origins = entry.list("endpointOrigins", .origin) ?? []
        let prefix = entry.value("tokenPrefix", .tokenPrefix)
        let mode = readMode(entry, insecure)
        let anyAudience = entry.value("insecureAnyAudience", .flag) ?? false
        let algorithms = entry.someOf("algorithms", .algorithm())
        let leeway = entry.value("leeway", .duration(.zero ... .seconds(300)))
        entry.finish()
        guard let name, let profile, let mode, let discovery = WebURL(place ?? Self.wellKnown(name)) else { return nil }
        var issuer: TrustedIssuer
        do {
            issuer = try TrustedIssuer(
                issuer: name, discovery: discovery, profile: profile, audiences: Set(audiences), clients: Set(clients),
                mode: mode, insecureAnyAudience: anyAudience)
        } catch {
            if !context.isReported(entry.key("audiences")), !context.isReported(entry.key("clients")) {
                context.report(entry.key("audiences"), line: entry.line, Self.audienceMissing)
            }
            return nil
        }
        if let prefix, mode.isByQuestion {
            issuer.tokenPrefix = prefix
        } else if entry.contains("tokenPrefix"), !context.isReported(entry.key("tokenPrefix")) {
            context.report(entry.key("tokenPrefix"), "expected mode introspection or both with this")
        }
        issuer.alsoAccepts = Set(alsoAccepts)
        issuer.endpointOrigins = Set(origins)
        issuer.insecureHTTP = insecure
        if let algorithms { issuer.algorithms = Set(algorithms) }
        if let leeway { issuer.leeway = leeway }
        return issuer
    }

    private static let audienceMissing =
        "is missing; a token for any other API would do. clients alone suffice in mode introspection; "
        + "insecureAnyAudience: true allows it"

    /// The discovery address of an issuer (OpenID Connect Discovery section 4).
    private static func wellKnown(_ issuer: String) -> String {
        issuer + (issuer.hasSuffix("/") ? "" : "/") + ".well-known/openid-configuration"
    }

    private enum Mode { case jwt, introspection, both }

    private func readMode(_ entry: Section, _ insecure: Bool) -> ValidationMode? {
        let stated = entry.value(
            "mode", .choice(["jwt": Mode.jwt, "introspection": .introspection, "both": .both]))
        let mode = entry.contains("mode") ? stated : .jwt
        let credentials = readIntrospection(entry.section("introspection"), insecure)
        let isThere = entry.contains("introspection")
        switch mode {
        case .jwt?:
            guard !isThere else {
                context.report(entry.key("introspection"), "expected mode introspection or both with this")
                return nil
            }
            return .jwt
        case .introspection?, .both?:
            guard isThere else {
                context.report(
                    entry.key("introspection"), line: entry.line, "is missing; expected clientId and clientSecretFile")
                return nil
            }
            return credentials.map { mode == .both ? .both($0) : .introspection($0) }
        case nil:
            return nil
        }
    }

    private func readIntrospection(_ section: Section, _ insecure: Bool) -> IntrospectionSettings? {
        let needed = section.exists
        let form = ValueForm.text("our client id at the issuer", bytes: 1...256)
        let clientID = needed ? section.required("clientId", form) : section.value("clientId", form)
        let endpoint = section.value(
            "endpoint", .protectedAddress(insecure, "the address of the introspection endpoint"))
        let secret = section.secret("clientSecret")
        let authentication = section.value(
            "clientAuthentication",
            .choice([
                "client_secret_basic": IntrospectionAuthentication.basic, "client_secret_basic_raw": .basicRaw,
                "client_secret_post": .post,
            ]))
        if authentication == .basicRaw, clientID?.utf8.contains(UInt8(ascii: ":")) == true {
            context.report(
                section.key("clientAuthentication"),
                "expected client_secret_basic or client_secret_post, because clientId has a colon")
        }
        if needed, !section.contains("clientSecret"), !section.contains("clientSecretFile") {
            context.report(
                section.key("clientSecretFile"), line: section.line, "is missing; introspection is authenticated")
        }
        let keepActive = section.value("keepActive", .duration(.zero ... .seconds(300)))
        let keepInactive = section.value("keepInactive", .duration(.zero ... .seconds(60)))
        let timeout = section.value("timeout", .duration(.milliseconds(100) ... .seconds(60)))
        section.finish()
        guard let clientID, let secret else { return nil }
        var settings = IntrospectionSettings(
            endpoint: endpoint.flatMap { WebURL($0) }, clientID: clientID, clientSecret: secret)
        if let authentication { settings.authentication = authentication }
        if let keepActive { settings.keepActive = keepActive }
        if let keepInactive { settings.keepInactive = keepInactive }
        if let timeout { settings.timeout = timeout }
        return settings
    }
}

extension ValidationMode {
    /// True if opaque tokens are introspected at the issuer.
    fileprivate var isByQuestion: Bool {
        switch self {
        case .jwt: false
        case .introspection, .both: true
        }
    }
}

extension ValueForm where Value == String {
    /// The prefix of an issuer's tokens, in the characters of a bearer token (RFC 6750 section 2.1).
    static var tokenPrefix: Self {
        ValueForm(expected: "1 to 64 characters that a token may begin with") { text in
            1...64 ~= text.utf8.count && text.utf8.allSatisfy(BearerToken.isTokenByte) ? text : nil
        }
    }
}
