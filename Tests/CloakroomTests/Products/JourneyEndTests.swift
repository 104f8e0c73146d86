import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import OpenIDConnect
import ProductKit
import TestSupport
import Testing

/// The ends of journeys and their odd pages, from the simulator to the browser.
@Suite("A journey over the whole server")
struct JourneyEndTests {
    private func run(
        _ journey: String, _ user: String = "demo", more: JSONObject = [:], start: JSONValue = [:],
        _ body: (Browser, Browser.Answer) async throws -> Void
    ) async throws {
        let options = Bench.Options(
            adjust: { settings, _ in
                settings.clients[0].journey.journeys = [journey]
                settings.clients[0].journey.exposed = ["contract", "failureUrl"]
            })
        try await withBench(options) { bench in
            let browser = bench.browser()
            let page = try await browser.start("standard", start)
            var values: JSONObject = ["IDToken1": .string(user), "IDToken2": "Ch4ng3it!"]
            for (name, value) in more { values[name] = value }
            try await body(browser, try await answer(page, .object(values), browser))
        }
    }

    private func answer(_ page: Browser.Answer, _ values: JSONValue, _ browser: Browser) async throws -> Browser.Answer
    {
        try await browser.call(
            .post, "/bff/standard/next",
            ["flow": page["flow"] ?? .null, "step": page["step"] ?? .null, "values": values])
    }

    @Test("that refuses by policies says beside which questions")
    func policies() async throws {
        let bad: JSONObject = ["IDToken3": ["value": "nobody"], "IDToken4": ["value": "x"]]
        try await run("PolicyRefusal", more: bad) { _, end in
            #expect(
                end["reason"] == "policy-failed" && end["message"] == "Policy validation failed", "\(end.json.text)")
            let details = end["details"]?.array ?? []
            #expect(details.map { $0["property"]?.string } == ["mail", "sn"])
            #expect(details.map { $0["id"]?.string } == ["IDToken3", "IDToken4"])
            #expect(
                details.map { $0["requirements"]?[0]?["requirement"]?.string }
                    == ["VALID_EMAIL_ADDRESS_FORMAT", "MIN_LENGTH"])
        }
        let good: JSONObject = ["IDToken3": ["value": "demo@example.com"], "IDToken4": ["value": "Demo"]]
        try await run("PolicyRefusal", more: good) { _, end in #expect(end["signedIn"] == true, "\(end.json.text)") }
    }

    @Test("that is too late is expired, in all of AM's words", arguments: ["demo", "alice", "bob"])
    func expired(user: String) async throws {
        try await run("Expiring", user) { _, end in #expect(end["reason"] == "journey-expired") }
    }

    @Test(
        "with a callback that AM has no page for ends, and its header stays here",
        arguments: [("demo", "authentication-failed"), ("bob", "bad-request")])
    func noPage(user: String, reason: String) async throws {
        try await run("Negotiate", user) { _, end in
            #expect(end["reason"]?.string == reason && end.status == 200)
            #expect(!end.json.text.contains("Negotiate"))
        }
    }

    @Test("tells of its details what the settings expose")
    func details() async throws {
        try await run("CustomFailure") { _, end in
            #expect(end["reason"] == "authentication-failed" && end["message"] == "Your contract has ended.")
            #expect(end["detail"]?.text == #"{"contract":{"since":2019,"links":["help","phone"]}}"#)
        }
    }

    @Test("of odd pages goes on, with what nobody answers as it came")
    func odd() async throws {
        try await run("Odd", more: ["IDToken2": "demo", "IDToken1": nil, "IDToken9": "Ch4ng3it!"]) { browser, end in
            // There is no such question as IDToken1: the first callback takes no answer.
            #expect(end.status == 422)
            let page = try await browser.start()
            let ids = page["callbacks"]?.array?.map { $0["id"]?.string ?? "" } ?? []
            #expect(Set(ids).count == ids.count && ids.count == 9)
            let values: JSONValue = [
                "IDToken2": "demo", "IDToken3": "d@example.com", "HiddenValueCallback-3": "one", "IDToken7": 0,
                "IDToken9": "Ch4ng3it!",
            ]
            #expect(try await answer(page, values, browser)["signedIn"] == true)
        }
    }

    @Test("of pages that are too large ends with a reason, and one that is only large goes on")
    func huge() async throws {
        let options = Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = ["Huge"] })
        try await withBench(options) { bench in
            let browser = bench.browser()
            for part: Int64 in 1...6 {
                let page = try await browser.start()
                let end = try await answer(page, ["IDToken1": .number(JSONNumber(part))], browser)
                #expect(end["reason"] == "page-too-large" && end.status == 200, "\(part): \(end.status)")
            }
            let large = try await answer(try await browser.start(), ["IDToken1": 0], browser)
            #expect(large["callbacks"]?.array?.count == 4)
            let end = try await browser.call(.post, "/bff/standard/next", Browser.credentials(large, "demo"))
            #expect(end["signedIn"] == true)
            let another = bench.browser()
            var types = try await answer(try await another.start(), ["IDToken1": 7], another)
            for _ in 0..<20 {
                let shown = (types["callbacks"]?.array ?? []).compactMap { $0["type"]?.string }
                #expect(shown.count == 10 && Set(shown).count == 10)
                types = try await answer(types, ["IDToken2": "demo"], another)
            }
        }
    }

    @Test("speaks the language of its start, page and refusal alike")
    func localised() async throws {
        let options = Bench.Options(adjust: { settings, _ in settings.clients[0].journey.journeys = ["Localised"] })
        try await withBench(options) { bench in
            let browser = bench.browser()
            let page = try await browser.start("standard", ["uiLocales": ["fr-CH", "en"]])
            #expect(page["header"] == "Connexion" && page["texts"]?["submitButtonText"] == "Se connecter")
            let end = try await browser.call(.post, "/bff/standard/next", Browser.credentials(page, "demo", "wrong"))
            #expect(end["message"] == "Le mot de passe est erroné.")
        }
    }

    @Test("whose client asks its users ends as the settings say", arguments: SimulatedDialect.allCases)
    func consent(_ dialect: SimulatedDialect) async throws {
        for grants in [false, true] {
            let options = Bench.Options(
                dialect: dialect,
                provider: { settings in
                    for index in settings.clients.indices { settings.clients[index].impliesConsent = false }
                },
                adjust: { settings, _ in settings.clients[0].openID.grantsConsent = grants })
            try await withBench(options) { bench in
                let browser = bench.browser()
                let page = try await browser.start()
                let end = try await browser.call(.post, "/bff/standard/next", Browser.credentials(page, "demo"))
                let lines = bench.recorder.lines.filter { $0.hasPrefix("info consent ") }
                #expect(grants ? end["signedIn"] == true : end["reason"] == "consent-required", "\(end.json.text)")
                #expect(lines.count == (grants ? 1 : 0))
                #expect(lines.allSatisfy { $0.contains(" outcome=given ") })
            }
        }
    }
}
