import Testing

/// An OAuth client at AM or the provider.
struct OAuthClient: Sendable, CustomTestStringConvertible {
    let name: String
    var id: String
    var secret: String
    let authentication: String
    let algorithm: String?
    var redirectURI: String
    var scopes: [String]

    init(_ node: LiveNode) throws {
        name = try node.text("name")
        id = try node.text("id")
        secret = try node.text("secret")
        authentication = try node.optional("authentication")?.text() ?? "client_secret_basic"
        algorithm = try node.optional("algorithm")?.text()
        redirectURI = try node.text("redirectUri")
        scopes = try node.optional("scopes")?.texts() ?? ["openid", "profile", "email"]
    }

    var testDescription: String { name }
}

/// The AM of `am.yaml`.
struct AMSettings: Sendable {
    /// Who may change things.
    struct Administrator: Sendable {
        let name: String
        let password: String
    }

    /// What AM's policy endpoint is asked about.
    struct Policy: Sendable {
        let application: String
        let resource: String
        let level: Int
    }

    let address: String
    let sessionUpgrade: String
    let control: String?
    let administrator: Administrator?
    /// How long AM waits for the answer to a page; nil leaves no page unanswered for that long.
    let pageLifetime: Duration?
    let rootRealm: String
    let subRealm: String
    let password: String
    let inactive: String
    let oneTimeUsers: [String]
    let oneTimeKey: String
    let signIn: String
    let blanks: String
    let stepUp: String
    let oneTime: String
    /// Whether AM has the chains of the kit.
    let hasChains: Bool
    let journeyOfACR: [(acr: String, journey: String)]
    let clients: [OAuthClient]
    let consent: OAuthClient
    let transaction: OAuthClient
    let machine: OAuthClient
    let policy: Policy?

    init(_ root: LiveNode) throws {
        address = try root.text("address")
        sessionUpgrade = try root.optional("sessionUpgrade")?.text() ?? "header"
        control = try root.optional("control")?.text()
        administrator = try root.optional("administrator").map {
            Administrator(name: try $0.text("name"), password: try $0.text("password"))
        }
        pageLifetime = try root.optional("pageSeconds").map { .seconds(try #require(Int($0.text()))) }
        rootRealm = try root.member("realms").text("root")
        subRealm = try root.member("realms").text("sub")
        password = try root.text("password")
        inactive = try root.text("inactive")
        oneTimeUsers = try root.member("oneTime").member("users").texts()
        oneTimeKey = try root.member("oneTime").text("key")
        let journeys = try root.member("journeys")
        signIn = try journeys.text("signIn")
        blanks = try journeys.text("blanks")
        stepUp = try journeys.text("stepUp")
        oneTime = try journeys.text("oneTime")
        hasChains = try root.optional("chains")?.text() == "true"
        journeyOfACR = try root.member("acr").members().map { ($0.name, try journeys.text($0.value.text())) }
        clients = try root.member("clients").list().map { try OAuthClient($0) }
        consent = try OAuthClient(root.member("consent"))
        transaction = try OAuthClient(root.member("transaction"))
        machine = try OAuthClient(root.member("machine"))
        policy = try root.optional("policy").map {
            Policy(
                application: try $0.text("application"), resource: try $0.text("resource"),
                level: Int(try $0.text("level")) ?? 0)
        }
    }

    /// The client that most cases sign in with.
    var standard: OAuthClient { clients[0] }
    /// Every secret that the server must keep to itself.
    var secrets: [String] { (clients + [consent, transaction, machine]).map(\.secret) + [password] }
}

/// The provider of `op.yaml`.
struct ProviderSettings: Sendable {
    let address: String
    let user: String
    let client: OAuthClient
    let machine: OAuthClient
    let resource: String
    let opaque: String
    let signed: String
    let algorithms: [String]

    init(_ root: LiveNode) throws {
        address = try root.text("address")
        user = try root.text("user")
        client = try OAuthClient(root.member("client"))
        machine = try OAuthClient(root.member("machine"))
        resource = try root.text("resource")
        opaque = try root.text("opaque")
        signed = try root.text("signed")
        algorithms = try root.member("algorithms").texts()
    }
}
