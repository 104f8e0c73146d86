import BFF
import DaVinciClient
import DaVinciProduct
import Discovery
import Foundation
import HTTPServer
import OpenIDConnect
import Orchestrate
import ProductKit
import Testing

@testable import Cloakroom

@Suite("A client of DaVinci flows in a settings file")
struct DaVinciSettingsTests {
    /// No fault in it.
    static let good = """
        server: { publicUrl: https://app.example.com, trustedPeers: [] }
        clients:
          workforce:
            type: davinci
            oidc:
              clientId: app
              clientSecret: x
              scopes: [openid]
              redirectUri: https://app.example.com/code
              discovery: https://auth.pingone.eu/env/as/.well-known/openid-configuration
              acrValues: policy-1
        """

    private static func replacing(_ old: String, _ new: String) -> String {
        good.replacingOccurrences(of: old, with: new)
    }

    @Test func `needs its registration alone, and waits two minutes for nodes`() throws {
        let settings = try SettingsText.read(Self.good).settings
        let client = try #require(settings.clients.first)
        #expect(client.product.isSame(as: DaVinciSettings()) && client.allowed == StartAllowance())
        #expect(client.timeout == .seconds(30) && client.stepTimeout == .seconds(125) && !client.openID.par)
        #expect(!client.openID.endpoints.isAM && client.openID.acrValues == ["policy-1"])
        // The listener leaves such a request for longer than any other.
        #expect(settings.longestRequestTime == .seconds(160) && settings.listener.limits.requestTime == .seconds(60))
        let journeys = try SettingsText.read(SettingsText.good).settings
        #expect(journeys.longestRequestTime == nil)
        #expect(journeys.changesForRestart(in: settings, ownsStore: true, followsLevel: true) == ["clients.*.timeout"])
        #expect(settings.changesForRestart(in: journeys, ownsStore: true, followsLevel: true) == [])
    }

    @Test func `may set everything`() throws {
        let directory = try ScratchDirectory()
        try directory.write("old LmRJ0GmWmTzqTXlpYPtWAsUsdRQ6SVFIZ9_ghTn3TmM\n", to: "old.key")
        try directory.write(SettingsSample.authority, to: "ca.pem")
        try directory.write("page", to: "web/index.html")
        try directory.write("x", to: "client.secret")
        let settings = try SettingsText.read(SettingsSample.everything, directory: directory.path("")).settings
        directory.remove()
        let client = try #require(settings.clients.last)
        var expected = DaVinciSettings()
        expected.platform = "web"
        expected.languages = LanguagePreference(["de"])
        expected.startsBy = .post
        expected.deviceValue = .native
        expected.persistCookies = ["ST"]
        #expect(client.product.isSame(as: expected) && client.linkHosts == ["accounts.example.org"])
        #expect(
            client.allowed
                == StartAllowance(parameters: ["customKey"], acrValues: ["policy-2"], prompts: ["none", "login"]))
        // What is set goes for answers too.
        #expect(client.timeout == .seconds(120) && client.stepTimeout == nil && client.openID.par)
        #expect(client.openID.parameters == ["tenant": "blue"])
    }

    @Test(
        arguments: [
            (
                "acrValues: policy-1", "acrValues: [a, b]",
                "11: clients.workforce.oidc.acrValues: expected one policy: PingOne"
            ),
            ("discovery:", "issuer:", "5: clients.workforce.oidc.discovery: is missing; expected the address of"),
            ("    oidc:", "    start: put\n    oidc:", "5: clients.workforce.start: expected get or post"),
            ("    oidc:", "    deviceValue: x\n    oidc:", "5: clients.workforce.deviceValue: expected web or native"),
            (
                "    oidc:", "    persistCookies: []\n    oidc:",
                "5: clients.workforce.persistCookies: expected at least"
            ),
            ("    oidc:", "    prompts: [x]\n    oidc:", "5: clients.workforce.prompts[0]: expected none, login,"),
            (
                "    oidc:", "    parameters: [state]\n    oidc:",
                "5: clients.workforce.parameters[0]: expected a name that"
            ),
            (
                "    oidc:", "    parameters: [max_age, prompt]\n    oidc:",
                "5: clients.workforce.parameters[1]: expected a name"
            ),
            (
                "    oidc:", "    parameters: [goto]\n    oidc:",
                "5: clients.workforce.parameters[0]: expected a name that"
            ),
            ("    oidc:", "    platform: a b\n    oidc:", "5: clients.workforce.platform: expected a platform"),
            ("acrValues: policy-1", "par: maybe", "11: clients.workforce.oidc.par: expected true or false"),
            ("acrValues: policy-1", "consent: grant", "11: clients.workforce.oidc.consent: is for journeys"),
        ]
            + ["serverUrl", "realm", "journeys", "cookieName", "balancerCookies", "expose", "headers"].map {
                (
                    "    oidc:", "    \($0): x\n    oidc:",
                    "5: clients.workforce.\($0): is for journeys; this is a client of DaVinci"
                )
            })
    func `is refused with its line`(_ old: String, _ new: String, _ problem: String) {
        let problems = SettingsText.problems(Self.replacing(old, new))
        #expect(problems.count == 1 && problems.first?.hasPrefix(problem) == true, "\(problems)")
    }

    @Test(arguments: ["start: get", "deviceValue: web", "persistCookies: [ST]"])
    func `has keys that are none of a journey's`(_ line: String) {
        let key = line.prefix { $0 != ":" }
        #expect(
            SettingsText.problems(SettingsText.replacing("realm: alpha", "realm: alpha\n    \(line)")) == [
                "7: clients.standard.\(key): is for DaVinci flows; this is a journey"
            ])
    }

    @Test(arguments: ["sessionStorage", "tokenStorage"])
    func `shares no storage with a journey`(_ key: String) {
        let journey = SettingsText.good.split(separator: "\n").dropFirst(2).joined(separator: "\n")
            .replacingOccurrences(of: "realm: alpha", with: "realm: alpha\n    \(key): s")
        let both = Self.replacing("    oidc:", "    sessionStorage: s\n    oidc:") + "\n" + journey
        #expect(
            SettingsText.problems(both) == [
                "17: clients.standard.\(key): is used by 'workforce', which is a client of type davinci; 'standard' is of "
                    + "type journey"
            ])
    }

    @Test func `has no route of its own about a level`() {
        func problems(_ rule: String) -> [String] {
            SettingsText.problems(
                Self.good + "\nrequirements:\n  high: { \(rule), maxAge: 5m }\nroutes:\n"
                    + ["/api/a", "/api/b"].map {
                        "  - { path: \($0), upstream: 'https://api.example.com/', methods: [GET], "
                            + "clients: [workforce], require: high }"
                    }.joined(separator: "\n"))
        }
        #expect(problems("acr: { anyOf: [policy-1] }") == [])
        let found = problems("authLevel: 3")
        #expect(found.count == 1)
        #expect(found.first?.contains("high.authLevel: is met by no token of 'workforce'") == true)
    }

    @Test func `meets no requirement about a level, nor about a policy that it does not run`() {
        let client =
            Self.good
                + """

                  transaction: &tx
                    type: davinci
                    tokenStorage: tx
                    limits: { absolute: 5m }
                    oidc: { clientId: app, clientSecret: x, scopes: [openid], redirectUri: "https://app.example.com/code",
                            discovery: "https://auth.pingone.eu/env/as/.well-known/openid-configuration", acrValues: strong }
                """.replacingOccurrences(of: "        ", with: "  ")
        func problems(_ rule: String) -> [String] {
            SettingsText.problems(client + "\nrequirements:\n  high: { \(rule), maxAge: 5m, stepUp: transaction }")
        }
        #expect(problems("acr: { anyOf: [strong] }") == [])
        #expect(problems("authLevel: 3").first?.contains("high.authLevel: is met by no token of 'transaction'") == true)
        #expect(problems("acr: { anyOf: [policy-1] }").first?.contains("high.stepUp: expected a client whose") == true)
        // A class that the client does not list is not asked for.
        let other = problems("acr: { anyOf: [gold] }, challengeAcr: gold")
        #expect(other.first?.contains("high.stepUp: expected a client whose") == true)
    }
}
