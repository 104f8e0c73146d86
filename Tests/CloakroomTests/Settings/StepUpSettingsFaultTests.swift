import JOSE
import ProductKit
import Testing

@testable import Cloakroom

@Suite("A faulty step-up in a settings file")
struct StepUpSettingsFaultTests {
    typealias Row = SettingsFault

    private static let rules = "authLevel: 3, amr: { any: [biometric] }, maxAge: 5m"
    private static let issuer = "profile: am, audiences: [bff-tx] }"

    static let requirements = [
        Row("authLevel: 3", "authLevel: 0", "9: \(high).authLevel: expected a number from 1 to 2147483647"),
        Row("authLevel: 3", "authLevel: gold", "9: \(high).authLevel: expected a number from 1 to 2147483647"),
        Row("authLevel: 3", "authlevel: 3", "9: \(high).authlevel: unknown key; did you mean 'authLevel'?"),
        Row("authLevel: 3", "level: 3", "9: \(high).level: unknown key"),
        Row(
            rules, "authLevel: 3",
            "9: \(high).maxAge: is missing; a requirement with authLevel says how old the sign-in may be, 5m or session"
        ),
        Row(
            rules, "amr: [otp]",
            "9: \(high).maxAge: is missing; a requirement with amr says how old the sign-in may be, 5m or session"),
        Row(
            rules, "acr: { anyOf: [gold] }",
            "9: \(high).maxAge: is missing; a requirement with acr says how old the sign-in may be, 5m or session"),
        Row("maxAge: 5m", "maxAge: 0s", "9: \(high).maxAge: expected a duration from 1s to 30d, or session"),
        Row("maxAge: 5m", "maxAge: 300", "9: \(high).maxAge: expected a duration from 1s to 30d, or session"),
        Row("maxAge: 5m", "maxAge: always", "9: \(high).maxAge: expected a duration from 1s to 30d, or session"),
        Row("{ any: [biometric] }", "[]", "9: \(high).amr: expected at least one value"),
        Row("{ any: [biometric] }", "{ any: [] }", "9: \(high).amr.any: expected at least one value"),
        Row("{ any: [biometric] }", "{}", "9: \(high).amr: expected either all or any"),
        Row("{ any: [biometric] }", "{ any: [a], all: [b] }", "9: \(high).amr: expected either all or any"),
        Row(
            "{ any: [biometric] }", "{ some: [a] }", "9: \(high).amr.some: unknown key",
            "9: \(high).amr: expected either all or any"),
        Row(
            "{ any: [biometric] }", "[a b]",
            "9: \(high).amr[0]: expected an authentication method without spaces"),
        Row("{ any: [biometric] }", "[otp, otp]", "9: \(high).amr[1]: is listed twice"),
        Row(rules, "acr: gold, maxAge: 5m", "9: \(high).acr: expected keys with values"),
        Row(rules, "acr: {}, maxAge: 5m", "9: \(high).acr: expected either anyOf, or order and min"),
        Row(
            rules, "acr: { anyOf: [a], min: a }, maxAge: 5m",
            "9: \(high).acr: expected either anyOf, or order and min"),
        Row(rules, "acr: { order: [a, b] }, maxAge: 5m", "9: \(high).acr: expected order and min together"),
        Row(rules, "acr: { min: a }, maxAge: 5m", "9: \(high).acr: expected order and min together"),
        Row(
            rules, "acr: { order: [a, b], min: B }, maxAge: 5m",
            "9: \(high).acr.min: expected one of the values in order"),
        Row("{ scopes: [WRITE]", "{ scopes: []", "9: \(high).scopes: expected at least one value"),
        Row(
            "{ scopes: [WRITE]", "{ scopes: [READ]",
            "9: \(high).scopes: expected only scopes that the client 'transaction' asks for"),
        Row("stepUp: transaction", "stepUp: elsewhere", "9: \(high).stepUp: expected the name of a client"),
        Row(
            "stepUp: transaction", "stepUp: transacton",
            "9: \(high).stepUp: expected the name of a client; did you mean 'transaction'?"),
        Row(
            "stepUp: transaction", "stepUp: standard",
            "9: \(high).scopes: expected only scopes that the client 'standard' asks for"),
        Row(
            "challengeAcr: gold", "challengeAcr: 'a b'", "9: \(high).challengeAcr: expected an acr value without spaces"
        ),
        Row("  high-value: {", "  signed-in: {}\n  high-value: {", "9: requirements.signed-in: \(own)"),
        Row("  high-value: {", "  none: {}\n  high-value: {", "9: requirements.none: \(own)"),
        Row("  high-value: {", "  c_x: {}\n  high-value: {", "9: requirements.c_x: \(own)"),
        Row("  high-value: {", "  x:\n  high-value: {", "9: requirements.x: expected keys with values"),
        Row(
            "minimum: high-value", "minimum: higher",
            "6: clients.transaction.minimum: expected the name of a requirement"),
        Row(
            "trustedPeers: [] }", "trustedPeers: [] }\nsession: { endRequirement: elsewhere }",
            "2: session.endRequirement: expected the name of a requirement"),
        Row(
            "trustedPeers: [] }", "trustedPeers: [] }\nsession: { endRequirement: hihg-value }",
            "2: session.endRequirement: expected the name of a requirement; did you mean 'high-value'?"),
        Row(
            "requirements:", "session: { endRequirement: low }\nrequirements:\n  low: { scopes: [openid] }",
            "8: session.endRequirement: expected a requirement with stepUp, so that users can meet it"),
    ]

    /// Each was met by everybody.
    static let empty = [
        Row("  high-value: {", "  x: {}\n  high-value: {", "9: requirements.x: \(everybody)"),
        Row(
            "  high-value: {", "  x: { stepUp: transaction, challengeAcr: gold }\n  high-value: {",
            "9: requirements.x: \(everybody)"),
        Row("  high-value: {", "  x: { maxAge: session }\n  high-value: {", "9: requirements.x: \(everybody)"),
        Row(
            "  high-value: {", "  x: { scopes: [] }\n  high-value: {",
            "9: requirements.x.scopes: expected at least one value"),
        Row("{ any: [biometric] }", "{ all: [] }", "9: \(high).amr.all: expected at least one value"),
        Row(
            issuer, "profile: am, clients: [bff-tx], audiences: [] }",
            "14: issuers[0].audiences: expected at least one value"),
        Row(
            issuer, "profile: am, clients: [], audiences: [a] }", "14: issuers[0].clients: expected at least one value"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], algorithms: [] }",
            "14: issuers[0].algorithms: expected at least one value"),
        Row(
            "scopes: [openid], ", "scopes: [openid], algorithms: [], ",
            "4: clients.standard.oidc.algorithms: expected at least one value"),
        Row(
            issuer,
            "profile: am, audiences: [bff-tx], mode: both, tokenPrefix: '', introspection: { clientId: a, clientSecret: b } }",
            "14: issuers[0].tokenPrefix: expected 1 to 64 characters that a token may begin with"),
        Row(
            "clientId: bff, clientSecret: \"${SECRET}\"", "clientId: bff, clientSecret: ''",
            "4: clients.standard.oidc.clientSecret: expected a secret of one line"),
        Row(
            "server: { ", "server: { csrfValue: '', ", "1: server.csrfValue: expected 1 to 64 visible ASCII characters"),
    ]

    static let machines = [
        Row(
            "  high-value: {", "  batch: { machines: true }\n  high-value: {",
            "9: requirements.batch.machines: expected scopes beside this, or every client's token would do"),
        Row(
            "  high-value: {", "  batch: { scopes: [a], machines: yes }\n  high-value: {",
            "9: requirements.batch.machines: expected true or false"),
        Row(rules, rules + ", machines: true", "9: \(high).machines: \(alone) amr"),
        Row(
            "  high-value: {", "  batch: { scopes: [a], maxAge: session, machines: true }\n  high-value: {",
            "9: requirements.batch.machines: \(alone) maxAge"),
        Row(
            "  high-value: {", "  batch: { scopes: [WRITE], stepUp: transaction, machines: true }\n  high-value: {",
            "9: requirements.batch.machines: \(alone) stepUp"),
        Row(
            "  high-value: {", "  batch: { scopes: [a], challengeAcr: x, machines: true }\n  high-value: {",
            "9: requirements.batch.machines: \(alone) challengeAcr"),
    ]

    static let routes = [
        Row(
            ", require: signed-in", "",
            "11: routes[0].require: is missing; expected none, signed-in or the name of a requirement"),
        Row("require: signed-in", "require: 'a b'", "11: routes[0].require: expected \(demand)"),
        Row("require: signed-in", "require: unknown", "11: routes[0].require: expected \(demand)"),
        Row(
            "require: signed-in", "require: none",
            "11: routes[0].clients: expected none, because calls go out without a token"),
        Row("clients: [standard], ", "", "11: routes[0].clients: expected the clients whose tokens may be used"),
        Row(
            "clients: [standard], ", "clients: [other], ", "11: routes[0].clients[0]: expected the name of a client"
        ),
        Row(
            "clients: [standard, transaction]", "clients: [standard]",
            "12: routes[1].clients: expected the client among them that the requirement 'high-value' steps up with"),
        Row(
            "methods: [GET], ", "methods: [GET], headers: [Cookie], ",
            "11: routes[0].headers: expected fields that neither say who calls nor belong to one connection; Cookie does"
        ),
        Row(
            "methods: [GET], ", "methods: [GET], headers: ['X Tenant'], ",
            "11: routes[0].headers[0]: expected the name of a header field, like X-Tenant"),
        Row("methods: [GET], ", "", "11: routes[0].methods: is missing; expected a list of \(methods)"),
        Row("methods: [GET]", "methods: [TRACE]", "11: routes[0].methods[0]: expected \(methods)"),
        Row("methods: [GET]", "methods: [get]", "11: routes[0].methods[0]: expected \(methods); did you mean 'GET'?"),
        Row(
            "/api/accounts, upstream", "accounts, upstream",
            "11: routes[0].path: expected a path like /api/accounts, of letters, digits and -._~ and without a slash at its end"
        ),
        Row(
            "/api/accounts, upstream", "/api/../bff, upstream",
            "11: routes[0].path: expected a path like /api/accounts, of letters, digits and -._~ and without a slash at its end"
        ),
        Row(
            "/api/accounts, upstream", "/bff/accounts, upstream",
            "11: routes[0].path: expected a path apart from those of the server itself"),
        Row(
            "https://ledger/accounts", "ledger",
            "11: routes[0].upstream: expected an address like http://ledger:9000/accounts"),
        Row(
            "https://ledger/accounts", "https://ledger/a?b=c",
            "11: routes[0].upstream: expected an address without a query and without dot segments"),
        Row(
            "methods: [GET]", "methods: [GET], limits: { body: 65MiB, time: 0s, size: 1 }",
            "11: routes[0].limits.body: expected a size from 0B to 64MiB",
            "11: routes[0].limits.time: expected a duration from 1s to 5m", "11: routes[0].limits.size: unknown key"),
        Row("methods: [GET]", "methods: [GET], replay: yes", "11: routes[0].replay: expected true or false"),
        Row(
            "methods: [GET]", "methods: [GET], required: x",
            "11: routes[0].required: unknown key; did you mean 'require'?"),
        Row("  - { path: /api/a", "  - x\n  - { path: /api/a", "11: routes[0]: expected keys with values"),
        Row(
            "  - { path: /api/a", "  - x\n  - { path: /bff/a", "11: routes[0]: expected keys with values",
            "12: routes[1].path: expected a path apart from those of the server itself"),
        Row(
            "/api/accounts, upstream: https://ledger/accounts, methods: [GET]",
            "/api/pay, upstream: https://ledger/accounts, methods: [POST]",
            "12: routes[1].methods: expected each method of a path once; POST is taken"),
    ]

    static let overlaps = [
        Row("/api/accounts, upstream: https://ledger/accounts, methods: [GET]", "\(weak("/api", "/accounts"))", path),
        Row(
            "/api/accounts, upstream: https://ledger/accounts, methods: [GET]", "\(weak("/api/Pay.", "/accounts"))",
            path),
        Row(
            "/api/accounts, upstream: https://ledger/accounts, methods: [GET]", "\(weak("/api/accounts", ""))",
            "11: routes[0].upstream: expected an address that does not cover the upstream of /api/pay, which asks for more:"
                + " its calls would pass here. Take the addresses apart, leave out the methods that both have, or say"
                + " insecureOverlap: true"),
        Row(
            "/api/accounts, upstream: https://ledger/accounts, methods: [GET]",
            "\(weak("/api", "")), insecureOverlap: true"),
        Row("methods: [GET]", "methods: [GET], bodies: yes", "11: routes[0].bodies: expected true or false"),
    ]

    private static func weak(_ path: String, _ upstream: String) -> String {
        "\(path), upstream: https://ledger\(upstream), methods: [GET, POST]"
    }
    private static let path =
        "11: routes[0].path: expected a path that does not cover /api/pay, which asks for more: by another spelling its"
        + " calls would pass here. Take the paths apart, leave out the methods that both have, or say insecureOverlap: true"

    private static let noAudience =
        "14: issuers[0].audiences: is missing; a token for any other API would do. clients alone suffice in mode "
        + "introspection; insecureAnyAudience: true allows it"

    static let issuers = [
        Row("profile: am, ", "", "14: issuers[0].profile: is missing; expected am, rfc9068, jwt or pingOne"),
        Row(
            "profile: am", "profile: AM",
            "14: issuers[0].profile: expected am, rfc9068, jwt or pingOne; did you mean 'am'?"),
        Row(", audiences: [bff-tx] }", " }", noAudience),
        // An issuer with clients alone would take their tokens for any other API.
        Row(issuer, "profile: am, clients: [bff-tx] }", noAudience),
        Row(issuer, "profile: am, clients: [bff-tx], insecureAnyAudience: false }", noAudience),
        Row(
            issuer,
            "profile: am, clients: [bff-tx], mode: both, introspection: { clientId: a, clientSecret: \"${SECRET}\" } }",
            noAudience),
        Row(
            issuer, "profile: am, audiences: [bff-tx], insecureAnyAudience: 1 }",
            "14: issuers[0].insecureAnyAudience: expected true or false"),
        Row(
            "issuer: https://t", "issuer: http://t",
            "14: issuers[0].issuer: expected the issuer, as it stands in its tokens, with https"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], mode: opaque }",
            "14: issuers[0].mode: expected jwt, introspection or both"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], mode: both }",
            "14: issuers[0].introspection: is missing; expected clientId and clientSecretFile"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], introspection: { clientId: a, clientSecret: b } }",
            "14: issuers[0].introspection: expected mode introspection or both with this"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], mode: introspection, introspection: { clientId: a } }",
            "14: issuers[0].introspection.clientSecretFile: is missing; introspection is authenticated"),
        Row(
            issuer,
            "profile: am, audiences: [bff-tx], mode: both, introspection: { clientId: a, clientSecret: b, clientAuthentication: none } }",
            "14: issuers[0].introspection.clientAuthentication: expected client_secret_basic, client_secret_basic_raw or client_secret_post"
        ),
        Row(
            issuer,
            "profile: am, audiences: [bff-tx], mode: both, introspection: { clientId: 'a:b', clientSecret: b, clientAuthentication: client_secret_basic_raw } }",
            "14: issuers[0].introspection.clientAuthentication: expected client_secret_basic or client_secret_post, because clientId has a colon"
        ),
        Row(
            issuer, "profile: am, audiences: [bff-tx], mode: both, introspection: { clientSecretFile: none } }",
            "14: issuers[0].introspection.clientId: is missing; expected our client id at the issuer",
            "14: issuers[0].introspection.clientSecretFile: the file does not exist"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], algorithms: [HS256] }",
            "14: issuers[0].algorithms[0]: expected one of \(algorithms)"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], leeway: 1h }",
            "14: issuers[0].leeway: expected a duration from 0s to 5m"),
        Row(
            issuer, "profile: am, client: [bff-tx], audiences: [a] }",
            "14: issuers[0].client: unknown key; did you mean 'clients'?"),
        Row(
            "  - { issuer:",
            "  - { issuer: https://t.example/am/oauth2/alpha, profile: am, audiences: [a] }\n  - { issuer:",
            "15: issuers[1].issuer: \(twice)"),
        Row(
            "  - { issuer:",
            "  - { issuer: https://o.example, profile: jwt, audiences: [a] }\n  - { issuer: https://o.example, profile: jwt, audiences: [b] }\n  - { issuer:",
            "15: issuers[1].issuer: \(twice)"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], alsoAccepts: [http://t.example] }",
            "14: issuers[0].alsoAccepts[0]: expected another spelling of the issuer, with https"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], endpointOrigins: [https://t.example/] }",
            "14: issuers[0].endpointOrigins[0]: expected an origin like https://login.example.com"),
        Row(
            issuer,
            "profile: am, audiences: [bff-tx], mode: both, introspection: { clientId: a, clientSecret: \"${SECRET}\", endpoint: http://t.example } }",
            "14: issuers[0].introspection.endpoint: expected the address of the introspection endpoint, with https"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], tokenPrefix: a_ }",
            "14: issuers[0].tokenPrefix: expected mode introspection or both with this"),
        Row(
            issuer, "profile: am, audiences: [bff-tx], tokenPrefix: 'a b' }",
            "14: issuers[0].tokenPrefix: expected 1 to 64 characters that a token may begin with"),
        Row("  - { issuer:", "  - issuer\n  - { issuer:", "14: issuers[0]: expected keys with values"),
        Row(
            "issuers:", "authz: { peers: [0.0.0.0/0] }\nissuers:",
            "13: authz.peers[0]: expected an address or a block like 10.0.0.0/8, not all addresses"),
        Row(
            "issuers:", "authz: { cachedTokens: -1 }\nissuers:",
            "13: authz.cachedTokens: expected a number from 0 to 1000000"),
        Row("issuers:", "authz: { cache: 1 }\nissuers:", "13: authz.cache: unknown key"),
        Row("issuers:", "authz: { subjects: both }\nissuers:", "13: authz.subjects: expected plain or qualified"),
    ]

    private static let everybody =
        "is met by everybody; expected scopes, acr, amr, authLevel, device or a duration in maxAge"
    private static let alone = "expected scopes and nothing else beside this, because a client cannot meet"
    private static let twice = "is listed twice; entries of one issuer need clients, each client in one of them"
    private static let high = "requirements.high-value"
    private static let own = "has a name that is not free: signed-in, none or c_…"
    private static let demand = "none, signed-in or the name of a requirement"
    private static let algorithms = JWSAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    private static let methods = "GET, HEAD, POST, PUT, PATCH or DELETE"

    @Test(
        "is told what is wrong, where, and nothing else",
        arguments: requirements + machines + routes + overlaps + issuers)
    func table(row: Row) {
        #expect(StepUpText.good.contains(row.old))
        #expect(StepUpText.problems(StepUpText.replacing(row.old, row.new)).sorted() == row.problems.sorted())
    }

    @Test func `of several issuers hears that their users may have one name`() throws {
        let other = "  - { issuer: https://o.example, profile: jwt, audiences: [a] }\n  - { issuer:"
        let text = StepUpText.replacing("  - { issuer:", other)
        #expect(
            StepUpText.problems(text) == [
                "13: authz.subjects: is missing; expected qualified, or plain where whoever asks tells users by X-Auth-Issuer too"
            ])
        for (word, qualifies) in [("plain", false), ("qualified", true)] {
            let said = text.replacing("issuers:\n", with: "authz: { subjects: \(word) }\nissuers:\n")
            #expect(try StepUpText.read(said).settings.qualifiesSubjects == qualifies)
        }
        #expect(try !StepUpText.read(StepUpText.good).settings.qualifiesSubjects)
    }

    @Test("about a rule that can be empty is told, because everybody would meet the rule", arguments: empty)
    func emptyRules(row: Row) { table(row: row) }

    @Test func `hears of all its problems at once, in the order of lines`() {
        let text = StepUpText.good.replacing("minimum: high-value", with: "minimum: low")
            .replacing("authLevel: 3", with: "authLevel: 0").replacing("require: signed-in", with: "require: x")
            .replacing("[POST]", with: "[GOST]").replacing("profile: am", with: "profile: x")
        let lines = StepUpText.problems(text).map { $0.prefix(while: \.isNumber) }
        #expect(lines == ["6", "9", "11", "12", "14"])
    }

    @Test func `that shares a token storage with a client of another minimum is refused`() {
        let text = StepUpText.replacing("tokenStorage: transaction, ", "").replacing(
            "bff-tx, client", with: "bff, client"
        )
        .replacing("[openid, WRITE]", with: "[openid]").replacing("scopes: [WRITE], ", with: "")
        #expect(
            StepUpText.problems(text) == [
                "5: clients.transaction.tokenStorage: is shared with 'standard', which has another minimum;"
                    + " name a tokenStorage of its own"
            ])
    }
}
