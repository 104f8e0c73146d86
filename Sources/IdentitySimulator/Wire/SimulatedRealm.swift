/// The realm that a path names, in any of AM's spellings.
struct SimulatedRealm: Sendable, Equatable {
    /// `/` or `/alpha`.
    let realm: String
    /// The segments that name it, as written: `realms/root/realms/alpha`, `alpha`.
    let spelling: [String]
    /// The segments after the ones that name the realm.
    let rest: [String]

    private static let endpoints: Set<String> = [
        "authenticate", "sessions", "serverinfo", ".well-known", "authorize", "access_token", "connect", "userinfo",
        "introspect", "token", "par",
    ]

    /// Reads `realms/root/realms/alpha/…`, `realms/alpha/…`, `alpha/…` or, without a realm in the path, the parameter.
    init(_ segments: some Collection<String>, parameter: String?) {
        var rest = Array(segments)[...]
        var names: [String] = []
        while let first = rest.first, !Self.endpoints.contains(first), names.count < 4 {
            if first == "realms" {
                rest = rest.dropFirst()
                guard let name = rest.first else { break }
                names.append(name)
            } else {
                names.append(first)
            }
            rest = rest.dropFirst()
        }
        spelling = Array(Array(segments).prefix(segments.count - rest.count))
        self.rest = Array(rest)
        if names.isEmpty, let parameter {
            names = parameter.split(separator: "/").map { String($0) }
        }
        if names.first == "root" { names.removeFirst() }
        realm = "/" + names.joined(separator: "/")
    }
}
