import HTTPCore
import JSON
import Testing

@Suite("At a real AM, a step-up", .enabled(if: Live.am != nil))
struct StepUpLiveTests {
    /// What a step-up to an acr takes.
    struct Goal: Sendable, CustomTestStringConvertible {
        let acr: String
        let journey: String
        let isByCode: Bool
        var testDescription: String { acr }
    }

    private static var goals: [Goal] {
        guard case .success(let am)? = Live.am else { return [] }
        return am.journeyOfACR.map { Goal(acr: $0.acr, journey: $0.journey, isByCode: $0.journey == am.oneTime) }
    }

    /// A server with a transaction client that steps up by one journey to one requirement.
    private func run(
        journey: String, rules: String, _ body: (LiveServer, Upstream, AMSettings) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        try await Upstream.run { upstream in
            var configuration = LiveConfiguration(am: settings)
            configuration.clients = [
                LiveConfiguration.client(settings, settings.standard),
                LiveConfiguration.client(
                    settings, settings.transaction, name: "transaction", journeys: [journey],
                    more: ["tokenStorage: transaction", "minimum: strong", "limits: { absolute: 5m }"]),
            ]
            configuration.requirements = ["strong: { scopes: [WRITE_TRANSACTION], \(rules), stepUp: transaction }"]
            configuration.routes = [
                upstream.route("/api/a", "GET", clients: ["standard"], require: "signed-in"),
                upstream.route("/api/pay", "POST", clients: ["standard", "transaction"], require: "strong"),
            ]
            try await LiveServer.run(configuration) { try await body($0, upstream, settings) }
        }
    }

    private func pay(_ browser: LiveBrowser) async throws -> Wire.Answer {
        try await browser.call(.post, "/api/pay", ["amount": 5])
    }

    /// What `start` is told after a refusal.
    private func goal(_ refused: Wire.Answer) throws -> JSONValue {
        expectProblem(refused, 403, "step-up-required")
        return ["for": try #require(refused["stepUp.for"])]
    }

    @Test("reaches each acr, keeps both tokens, and ends with the logout", arguments: goals)
    func reached(goal item: Goal) async throws {
        let rules = "acr: { anyOf: [\(item.acr)] }, maxAge: 5m, challengeAcr: \(item.acr)"
        try await run(journey: item.journey, rules: rules) { server, upstream, settings in
            let am = AM.of(settings)
            let code = item.isByCode ? try OneTimeCode.next(of: settings) : nil
            let made = code == nil ? try await am.makeUser() : nil
            let user = try #require(code?.user ?? made)
            let before = try await am.sessions(of: user)
            let browser = server.browser()
            let answers = PageAnswers(user: user, password: settings.password, code: code?.code)
            try expectSignedIn(try await browser.run(answers))
            let refused = try await pay(browser)
            #expect(refused["required.acr"] == .string(item.acr))
            let end = try await browser.run(answers, "transaction", try goal(refused))
            try expectSignedIn(end)
            #expect(end["user.token.acr"] == .string(item.acr), "\(end.text)")

            #expect(try await pay(browser).status == 200)
            let strong = try upstream.lastToken()
            #expect(try await am.isActive(strong, of: settings.transaction))
            #expect(try await browser.call(.get, "/api/a").status == 200)
            let usual = try upstream.lastToken()
            #expect(usual != strong)
            #expect(try await am.isActive(usual, of: settings.standard))
            #expect(
                try await eventually { try await am.sessions(of: user) == before + 1 }, "the former session lives on")

            // The standard token goes on being renewed, by the session that the step-up left.
            #expect(try await browser.refresh().status == 200)
            #expect(try await browser.call(.post, "/bff/logout", [:]).status == 204)
            // The answer does not wait for AM; the session ends after its tokens.
            #expect(try await eventually { try await am.sessions(of: user) == before })
            #expect(try await !am.isActive(strong, of: settings.transaction))
            #expect(try await !am.isActive(usual, of: settings.standard))
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `by somebody else changes nothing and leaves nobody else's session`() async throws {
        let rules = "acr: { anyOf: [gold] }, maxAge: 5m, challengeAcr: gold"
        let journey = try Live.requireAM().stepUp
        try await run(journey: journey, rules: rules) { server, _, settings in
            let am = AM.of(settings)
            let user = try await am.makeUser()
            let other = try await am.makeUser()
            let browser = server.browser()
            try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
            let end = try await browser.run(
                PageAnswers(user: other, password: settings.password), "transaction", try goal(try await pay(browser)))
            // AM refuses another user of an upgrade by itself; where it does not, the server does.
            #expect(end["type"] == "failure", "\(end.text)")
            #expect(
                end["reason"] == "account-mismatch" || end["reason"] == "authentication-failed", "\(end.text)")
            #expect(try await browser.user()["subject"] == .string(user))
            #expect(try await browser.call(.get, "/api/a").status == 200)
            #expect(try await eventually { try await am.sessions(of: other) == 0 })
            #expect(try await eventually { try await am.sessions(of: user) == 1 })
            // And it may be tried again.
            try expectSignedIn(
                try await browser.run(
                    PageAnswers(user: user, password: settings.password), "transaction",
                    try goal(try await pay(browser))))
            #expect(try await pay(browser).status == 200)
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `with a wrong password leaves the user signed in, and can be repeated`() async throws {
        let rules = "acr: { anyOf: [gold] }, maxAge: 5m, challengeAcr: gold"
        let journey = try Live.requireAM().stepUp
        try await run(journey: journey, rules: rules) { server, _, settings in
            let user = try await AM.of(settings).makeUser()
            let browser = server.browser()
            try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
            expectFailure(
                try await browser.run(
                    PageAnswers(user: user, password: "wrong"), "transaction", try goal(try await pay(browser))),
                "authentication-failed")
            #expect(try await browser.call(.get, "/api/a").status == 200)
            #expect(try await browser.refresh().status == 200, "the session did not survive")
            try expectSignedIn(
                try await browser.run(
                    PageAnswers(user: user, password: settings.password), "transaction",
                    try goal(try await pay(browser))))
            #expect(try await pay(browser).status == 200)
            #expect(try await browser.call(.post, "/bff/logout", [:]).status == 204)
            #expect(try await eventually { try await AM.of(settings).sessions(of: user) == 0 })
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `is fresh when it is asked for, then too old, and cured by another one only`() async throws {
        let journey = try Live.requireAM().stepUp
        try await run(journey: journey, rules: "maxAge: 5s") { server, _, settings in
            let user = try await AM.of(settings).makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            let browser = server.browser()
            try expectSignedIn(try await browser.run(answers))
            try expectSignedIn(try await browser.run(answers, "transaction", try goal(try await pay(browser))))
            #expect(try await pay(browser).status == 200)
            #expect(try await eventually(every: .milliseconds(500)) { try await pay(browser).status == 403 })
            // Neither a refresh nor a silent authorization is somebody who is there.
            _ = try await browser.refresh("transaction")
            _ = try await browser.refresh()
            let refused = try await pay(browser)
            let end = try await browser.run(answers, "transaction", try goal(refused))
            try expectSignedIn(end)
            #expect(end["user.token.authTime"]?.int != nil, "\(end.text)")
            #expect(try await pay(browser).status == 200)
        }
    }
}
