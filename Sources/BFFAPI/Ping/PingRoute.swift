internal import Basics

/// A path of an operation of Ping's protocols, below that of an instance.
struct PingRoute: Sendable, Equatable {
    let operation: PingOperation
    /// The product whose programs call the path.
    let product: String
    /// The realm that the path names; nil for paths without one.
    let realm: String?
    /// The last part of the path with names in braces, for logs and metrics.
    let template: String

    /// Finds the route of the segments behind the instance.
    ///
    /// Ping's programs write a realm as `alpha` or as `realms/root/realms/alpha`.
    static func match(_ segments: ArraySlice<String>) -> PingRoute? {
        guard let surface = segments.first else { return nil }
        let rest = Array(segments.dropFirst())
        switch surface {
        case "am": return journeys(rest)
        default: return nil
        }
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
                operation: operation, product: "journey", realm: realm.joined(separator: "/"), template: template)
        }
        return nil
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
