/// A settings file of the server, written as docs/setup-am.md says.
struct LiveConfiguration: Sendable {
    /// One client of the server.
    struct Client: Sendable {
        var name: String
        var oauth: OAuthClient
        var realm: String
        var journeys: [String]
        /// Lines below the client, `minimum: gold`.
        var more: [String] = []
        /// Lines below its `oidc`.
        var oidc: [String] = []
    }

    var am: AMSettings?
    var clients: [Client] = []
    /// Whole entries, `gold: { … }`.
    var requirements: [String] = []
    /// Whole entries, `{ path: …, require: … }`.
    var routes: [String] = []
    /// Whole entries of `issuers`.
    var issuers: [String] = []
    /// Whole lines at the top.
    var more: [String] = []
    var logLevel = "debug"

    /// A client of AM as it is set up for everybody.
    static func client(
        _ am: AMSettings, _ oauth: OAuthClient, name: String? = nil, realm: String? = nil, journeys: [String]? = nil,
        more: [String] = [], oidc: [String] = []
    ) -> Client {
        Client(
            name: name ?? oauth.name, oauth: oauth, realm: realm ?? am.rootRealm, journeys: journeys ?? [am.signIn],
            more: more, oidc: oidc)
    }

    /// The file.
    func text(port: UInt16, admin: UInt16, folder: String) -> String {
        var lines = [
            "server:", "  listen: 127.0.0.1:\(port)", "  publicUrl: http://localhost:\(port)", "  insecureHttp: true",
            "  admin: 127.0.0.1:\(admin)", "  rates: { account: off }",
            "session:", "  store: sqlite:\(folder)/sessions.sqlite", "  keys: [{ file: \(folder)/session.key }]",
        ]
        if !clients.isEmpty { lines.append("clients:") }
        for client in clients { lines += Self.lines(client, am) }
        if !requirements.isEmpty { lines += ["requirements:"] + requirements.map { "  \($0)" } }
        if !routes.isEmpty { lines += ["routes:"] + routes.map { "  - \($0)" } }
        if !issuers.isEmpty { lines += ["issuers:"] + issuers.map { "  - \($0)" } }
        lines += more + ["log: { level: \(logLevel) }"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func lines(_ client: Client, _ am: AMSettings?) -> [String] {
        let oauth = client.oauth
        var lines = [
            "  \(client.name):", "    type: journey", "    serverUrl: \(am?.address ?? "")",
            "    realm: \(quoted(client.realm))",
            "    journeys: [\(client.journeys.map(quoted).joined(separator: ", "))]",
        ]
        if am?.address.hasPrefix("http:") == true { lines.append("    insecureHttp: true") }
        if let way = am?.sessionUpgrade, way != "header" { lines.append("    sessionUpgrade: \(way)") }
        lines += client.more.map { "    \($0)" }
        lines += [
            "    oidc:", "      clientId: \(quoted(oauth.id))", "      clientSecret: \(quoted(oauth.secret))",
            "      scopes: [\(oauth.scopes.joined(separator: ", "))]", "      redirectUri: \(oauth.redirectURI)",
        ]
        if oauth.authentication != "client_secret_basic" {
            lines.append("      clientAuthentication: \(oauth.authentication)")
        }
        if let algorithm = oauth.algorithm { lines.append("      algorithms: \(algorithm)") }
        return lines + client.oidc.map { "      \($0)" }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
