internal import Basics

/// A path of an operation of Ping's protocols, below that of an instance.
struct PingRoute: Sendable, Equatable {
    let operation: PingOperation
    /// The product whose programs call the path.
    let product: String
    /// The realm that the path names; nil for paths without one.
    let realm: String?
    /// The environment that the path names; nil for paths without one.
    var environment: String?
    /// The handle in the path; nil for paths without one.
    var handle: String?
    /// The path behind the instance with names in braces, for logs and metrics.
    let template: String
    /// The number of segments behind the issuer.
    let depth: Int

    /// True if the programs of DaVinci flows call the path.
    var isDaVinci: Bool { realm == nil }

    /// Finds the route of the segments behind the instance.
    ///
    /// Ping's programs write a realm as `alpha` or as `realms/root/realms/alpha`.
    static func match(_ segments: ArraySlice<String>) -> PingRoute? {
        guard let surface = segments.first else { return nil }
        let rest = Array(segments.dropFirst())
        if surface.isSameText(as: "am") { return journeys(rest) }
        return surface.isSameText(as: "davinci") ? davinci(rest) : nil
    }

    private static let endsOfJourneys: [(part: String, end: [String], operation: PingOperation)] = [
        ("json", ["authenticate"], .authenticate),
        ("json", ["sessions"], .endProviderSession),
        ("json", ["sessions", ""], .endProviderSession),
        ("oauth2", [".well-known", "openid-configuration"], .metadata),
        ("oauth2", ["authorize"], .authorize),
        ("oauth2", ["access_token"], .exchange),
        ("oauth2", ["userinfo"], .userInfo),
        ("oauth2", ["token", "revoke"], .revoke),
        ("oauth2", ["connect", "endSession"], .endSession),
    ]

    private static func journeys(_ segments: [String]) -> PingRoute? {
        for (part, end, operation) in endsOfJourneys
        where segments.first?.isSameText(as: part) == true && segments.count > end.count
            && segments.suffix(end.count).elementsEqual(end, by: { $0.isSameText(as: $1) })
        {
            let realm = segments.dropFirst().dropLast(end.count)
            // rule: a realm of a path has no empty part
            guard realm.allSatisfy({ !$0.isEmpty }) else { return nil }
            let template = (["/am", part, "{realm}"] + end).joined(separator: "/")
            return PingRoute(
                operation: operation, product: "journey", realm: realm.joined(separator: "/"), template: template,
                depth: end.count)
        }
        return nil
    }

    private static let endsOfDaVinci: [(end: [String], operation: PingOperation)] = [
        (["as", ".well-known", "openid-configuration"], .metadata), (["as", "authorize"], .authorize),
        (["as", "token"], .exchange), (["as", "userinfo"], .userInfo), (["as", "revoke"], .revoke),
        (["as", "signoff"], .endSession), (["as", "idpSignoff"], .endSession), (["next"], .next),
    ]

    private static func davinci(_ segments: [String]) -> PingRoute? {
        guard let environment = segments.first, !environment.isEmpty else { return nil }
        let rest = segments.dropFirst()
        for (end, operation) in endsOfDaVinci where rest.elementsEqual(end, by: { $0.isSameText(as: $1) }) {
            return PingRoute(
                operation: operation, product: "davinci", realm: nil, environment: environment,
                template: (["/davinci/{env}"] + end).joined(separator: "/"), depth: end.count - 1)
        }
        guard rest.count == 2, rest.first?.isSameText(as: "continue") == true else { return nil }
        return PingRoute(
            operation: .continue, product: "davinci", realm: nil, environment: environment, handle: rest.last,
            template: "/davinci/{env}/continue/{handle}", depth: 0)
    }

    /// Finds the route of the segments behind the base path that is of no instance: Ping's client for DaVinci asks for
    /// challenges behind the first segment of the path, and the challenge itself names the instance.
    static func challenge(_ segments: ArraySlice<String>) -> PingRoute? {
        let parts = Array(segments)
        guard parts.count == 6, parts[4].isEmpty == false,
            (parts.prefix(4) + parts.suffix(1)).elementsEqual(
                ["davinci", "user", "credentials", "challenge", "status"], by: { $0.isSameText(as: $1) })
        else { return nil }
        return PingRoute(
            operation: .challenge, product: "davinci", realm: nil, handle: parts[4],
            template: "/davinci/user/credentials/challenge/{challenge}/status", depth: 0)
    }
}

/// A call of an operation of Ping's protocols.
struct PingCall: Sendable {
    let route: PingRoute
    var operation: OperationCall
    /// The absolute address that the operations of the instance begin with.
    let base: String
    /// The absolute address of the issuer that the discovery document names.
    let issuer: String
}
