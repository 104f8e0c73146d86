import HTTPCore
import JSON
import Testing

@Suite("At a real AM, the pages of a journey", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct PageLiveTests {
    private static let journeys = [
        "Authenticator", "WebAuthn", "WebAuthnRegister", "Device", "SignUp", "Social", "Totp", "StepUp",
    ]

    private func run(
        _ more: [String] = [], _ body: (LiveServer, AMSettings, AM) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(
                settings, settings.standard, journeys: [settings.signIn] + Self.journeys, more: more)
        ]
        try await LiveServer.run(configuration) { try await body($0, settings, AM.of(settings)) }
    }

    private func types(_ page: Wire.Answer) -> [String] {
        (page["callbacks"]?.array ?? []).compactMap { ($0["providerType"] ?? $0["type"])?.string }
    }

    private func start(_ browser: LiveBrowser, _ journey: String) async throws -> Wire.Answer {
        let page = try await browser.start("standard", ["journey": .string(journey)])
        try #require(page["type"] == "continue", "\(journey): \(page.status) \(page.text.prefix(400))")
        // Every question has an id of its own, though AM gives pages none.
        let ids = (page["callbacks"]?.array ?? []).compactMap { $0["id"]?.string }
        #expect(Set(ids).count == page["callbacks"]?.array?.count && !ids.contains(""), "\(page.text.prefix(400))")
        return page
    }

    @Test func `with one-time codes ask for the name, then for the code`() async throws {
        try await run { server, settings, _ in
            let (user, code) = try OneTimeCode.next(of: settings)
            let browser = server.browser()
            let page = try await start(browser, settings.oneTime)
            #expect(types(page) == ["NameCallback", "PasswordCallback"])
            let second = try await browser.next(page, PageAnswers(user: user, password: settings.password))
            #expect(types(second) == ["PasswordCallback", "ConfirmationCallback"], "\(second.text)")
            try expectSignedIn(
                try await browser.next(second, PageAnswers(user: user, password: settings.password, code: code)))
        }
    }

    @Test func `that offer a second factor let it be skipped, and show how to register one`() async throws {
        try await run { server, settings, am in
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            let browser = server.browser()
            let offer = try await browser.next(try await start(browser, "Authenticator"), answers)
            #expect(types(offer) == ["ConfirmationCallback"], "\(offer.text)")
            #expect(offer["callbacks.0.options"] == ["Register device", "Skip this step"])
            var register = answers
            register.choice = 0
            let shown = try await browser.next(offer, register)
            #expect(
                shown["type"] == "continue" && types(shown).contains("TextOutputCallback"), "\(shown.text.prefix(300))")
            let again = try await browser.next(try await start(browser, "Authenticator"), answers)
            var skip = answers
            skip.choice = 1
            try expectSignedIn(try await browser.next(again, skip))
        }
    }

    @Test func `that ask for a credential of the browser reach it with the challenge`() async throws {
        try await run { server, settings, am in
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password, choice: 0)
            let browser = server.browser()
            var page = try await start(browser, "WebAuthn")
            for _ in 0..<3 where page["type"] == "continue" && !page.text.contains("challenge") {
                page = try await browser.next(page, answers)
            }
            #expect(page["type"] == "continue" && page.text.contains("challenge"), "\(page.text.prefix(400))")
        }
    }

    @Test func `that ask a script reach the browser, and its answer goes back`() async throws {
        try await run { server, settings, am in
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            let browser = server.browser()
            let asked = try await browser.next(try await start(browser, "Device"), answers)
            #expect(types(asked).contains("HiddenValueCallback"), "\(asked.text.prefix(400))")
            let end = try await browser.next(asked, answers)
            // The script did not run here: AM decides on an answer that says nothing.
            #expect(end.status == 200 && end["type"] != nil, "\(end.status) \(end.text)")
        }
    }

    @Test func `of a registration make a user who is signed in`() async throws {
        try await run { server, settings, am in
            let browser = server.browser()
            let choice = try await start(browser, "SignUp")
            #expect(types(choice) == ["NameCallback", "PasswordCallback", "ConfirmationCallback"])
            let taken = try await am.makeUser()
            let name = "live-new-" + taken.dropFirst(5)
            var answers = PageAnswers(user: name, password: settings.password)
            answers.choice = 1
            answers.byPrompt = ["Email:": "\(name)@example.test", "Email": "\(name)@example.test"]
            let form = try await browser.next(choice, answers)
            #expect(form["type"] == "continue" && types(form).count > 3, "\(form.text.prefix(600))")
            answers.choice = 0
            let end = try await browser.finish(form, answers)
            try expectSignedIn(end)
            #expect(end["user.subject"] == .string(name))
            #expect(try await browser.signOut().status == 204)
            try expectSignedIn(try await browser.run(PageAnswers(user: name, password: settings.password)))
        }
    }

    @Test func `that lead to another provider do so over an address of ours, where the settings name its host`()
        async throws
    {
        try await run { server, _, _ in
            let refused = try await server.browser().start("standard", ["journey": "Social"])
            #expect(refused["reason"] == "link-not-allowed", "\(refused.text.prefix(400))")
        }
        // The provider that the chain is set up with.
        try await run(["linkHosts: 127.0.0.1:18220"]) { server, _, _ in
            let page = try await start(server.browser(), "Social")
            #expect(types(page) == ["RedirectCallback"], "\(page.text.prefix(400))")
            let go = page["callbacks.0.go"]?.string ?? ""
            #expect(go.hasPrefix("/bff/standard/go/") && !page.text.contains("18220"), "\(page.text.prefix(400))")
        }
    }

    @Test func `in another language come in it, or in AM's own`() async throws {
        try await run { server, settings, _ in
            let page = try await server.browser().start("standard", ["uiLocales": ["de-DE", "de"]])
            #expect(page["type"] == "continue" && types(page) == ["NameCallback", "PasswordCallback"], "\(page.text)")
            #expect(!page.text.contains("authId"))
        }
    }
}
