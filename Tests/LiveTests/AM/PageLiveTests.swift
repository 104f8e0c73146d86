import Basics
import HTTPCore
import JSON
import Testing

@Suite("At a real AM, the pages of a journey", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct PageLiveTests {
    /// Their names have blanks and letters beyond ASCII.
    private static let ownChain = "Zweiter Schritt für Gäste"
    private static let ownDevices = "Vertraute Geräte"

    private func run(_ body: (LiveServer, AMSettings, AM) async throws -> Void) async throws {
        let settings = try Live.requireAM()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(
                settings, settings.standard,
                journeys: [
                    settings.signIn, settings.oneTime, "Authenticator", "Device", "SignUp", Self.ownChain,
                    Self.ownDevices,
                ])
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

    /// The time of two seconds that comes after another: a code of it is good, and none of that one.
    private func step(after other: UInt64) async throws -> UInt64 {
        func now() -> UInt64 { UInt64(SystemTime().now().seconds) / 2 }
        #expect(try await eventually { now() > other })
        return now()
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

    @Test(.enabled(if: Live.hasChains))
    func `of a second factor register it by a QR code, and ask for its codes from then on`() async throws {
        try await run { server, settings, am in
            let answers = PageAnswers(
                user: try await am.makeUser("Benützer Eins "), password: settings.password, choice: 0)
            let browser = server.browser()
            let offer = try await browser.next(try await start(browser, "Authenticator"), answers)
            #expect(types(offer) == ["ConfirmationCallback"], "\(offer.text)")
            #expect(offer["callbacks.0.options"] == ["Register device", "Skip this step"])
            let shown = try await browser.next(offer, answers)
            #expect(types(shown) == ["TextOutputCallback", "TextOutputCallback", "ConfirmationCallback"])
            #expect(shown["callbacks.1.specialised"] == "qr_code" && !shown.text.contains("QRCodeReader"))
            let key = try OneTimeCode.key(ofAuthenticator: try #require(shown["callbacks.1.uri"]?.string))
            var asked = try await browser.next(shown, answers)
            #expect(types(asked) == ["NameCallback", "ConfirmationCallback"], "\(asked.text)")
            #expect(asked["callbacks.0.answer.autocomplete"] == "one-time-code")
            func codes(_ step: UInt64, of one: PageAnswers) -> PageAnswers {
                var answers = one
                answers.byPrompt = ["Enter verification code:": OneTimeCode.code(key: key, step: step)]
                return answers
            }
            asked = try await browser.next(asked, codes(1, of: answers))
            #expect(asked["header"]?.string?.hasSuffix("Attempt 2 of 3") == true, "\(asked.text)")
            let now = UInt64(SystemTime().now().seconds)
            try expectSignedIn(try await browser.next(asked, codes(now / 30, of: answers)))
            #expect(try await browser.signOut().status == 204)

            // Codes are good for two seconds then, so that nobody has to wait for the next.
            try await am.withModule("Authenticator", of: "authenticatoroath", ("totpTimeStepInterval", 2)) {
                try await am.withChain(Self.ownChain, ["DataStore": "REQUIRED", "Authenticator": "REQUIRED"]) {
                    var asked = try await browser.next(try await start(browser, Self.ownChain), answers)
                    #expect(types(asked) == ["NameCallback", "ConfirmationCallback"], "\(asked.text)")
                    asked = try await browser.next(asked, codes(1, of: answers))
                    #expect(asked["type"] == "continue", "\(asked.text)")
                    let step = try await step(after: now / 2)
                    try expectSignedIn(try await browser.next(asked, codes(step, of: answers)))
                    #expect(try await browser.signOut().status == 204)
                    var end = try await browser.next(try await start(browser, Self.ownChain), answers)
                    for _ in 0..<3 { end = try await browser.next(end, codes(1, of: answers)) }
                    expectFailure(end, "authentication-failed")
                }
            }
            #expect(try await eventually { try await am.sessions(of: answers.user) == 0 })
        }
    }

    @Test(.enabled(if: Live.hasChains))
    func `of a second factor let it be skipped`() async throws {
        try await run { server, settings, am in
            var answers = PageAnswers(user: try await am.makeUser(), password: settings.password)
            let browser = server.browser()
            let offer = try await browser.next(try await start(browser, "Authenticator"), answers)
            answers.choice = 1
            try expectSignedIn(try await browser.next(offer, answers))
        }
    }

    @Test(.enabled(if: Live.hasChains))
    func `that ask a script take what another found out, and know the device again`() async throws {
        try await run { server, settings, am in
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password, choice: 0)
            let browser = server.browser()
            func asked(_ chain: String) async throws -> Wire.Answer {
                let asked = try await browser.next(try await start(browser, chain), answers)
                // The script goes back to AM, and to nobody else.
                #expect(types(asked) == ["HiddenValueCallback"] && !asked.text.contains("function"), "\(asked.text)")
                #expect(asked["callbacks.0.hiddenId"] == "clientScriptOutputData")
                return asked
            }
            func device(_ page: Wire.Answer, _ name: String) async throws -> Wire.Answer {
                let profile: JSONValue = [
                    "screen": ["screenWidth": 1280, "screenHeight": 720, "screenColourDepth": 24],
                    "timezone": ["timezone": -60], "plugins": ["installedPlugins": .string(name)],
                    "fonts": ["installedFonts": .string(name)], "userAgent": .string(name), "geolocation": [:],
                ]
                let id = try #require(page["callbacks.0.id"]?.string)
                return try await browser.next(page, values: .object([id: .string(profile.text)]))
            }
            expectFailure(try await device(try await asked("Device"), "ours"), "authentication-failed")
            expectFailure(
                try await browser.next(try await asked("Device"), values: [:]), "authentication-failed")
            let modules: KeyValuePairs = [
                "DataStore": "REQUIRED", "DeviceMatch": "SUFFICIENT", "DeviceSave": "REQUIRED",
            ]
            try await am.withChain(Self.ownDevices, modules) {
                let offer = try await device(try await asked(Self.ownDevices), "ours")
                #expect(types(offer) == ["ChoiceCallback"], "\(offer.text)")
                let named = try await browser.next(offer, answers)
                #expect(types(named) == ["NameCallback"], "\(named.text)")
                try expectSignedIn(try await browser.next(named, answers))
                #expect(try await browser.signOut().status == 204)
            }
            try expectSignedIn(try await device(try await asked("Device"), "ours"))
            #expect(try await browser.signOut().status == 204)
            expectFailure(try await device(try await asked("Device"), "another"), "authentication-failed")
        }
    }

    @Test(.enabled(if: Live.hasChains))
    func `of a registration say what is wrong, offer other names, and make a user who is signed in`()
        async throws
    {
        try await run { server, settings, am in
            let browser = server.browser()
            let choice = try await start(browser, "SignUp")
            #expect(types(choice) == ["NameCallback", "PasswordCallback", "ConfirmationCallback"])
            let taken = try await am.makeUser()
            let own = "live-new-" + taken.dropFirst(5)
            var answers = PageAnswers(user: own, password: settings.password, choice: 1)
            answers.byPrompt = [
                "Email Address:": "\(own)@example.test", "Password:": "short", "Confirm Password:": "short",
            ]
            let form = try await browser.next(choice, answers)
            #expect(form["type"] == "continue" && types(form).count == 8, "\(form.text.prefix(600))")
            #expect(form["description"] == nil && form["callbacks.1.answer.autocomplete"] == "new-password")
            answers.choice = 0
            let short = try await browser.next(form, answers)
            #expect(types(short) == types(form))
            #expect(short["description"] == "Password must contain at least 8 characters.", "\(short.text)")
            #expect(short["callbacks.0.value"] == .string(own) && short["callbacks.1.value"] == nil)
            answers.byPrompt["Password:"] = nil
            let other = try await browser.next(short, answers)
            #expect(other["description"] == "The password and the confirm password do not match.", "\(other.text)")
            answers.byPrompt["Confirm Password:"] = nil
            answers.byPrompt["User Name:"] = taken
            let names = try await browser.next(other, answers)
            #expect(types(names) == ["ChoiceCallback", "ConfirmationCallback"], "\(names.text)")
            let create = try #require(names["callbacks.0.choices"]?.array).count - 1
            let again = try await browser.next(
                names, values: ["IDToken1": JSONValue(Int64(create)), "IDToken2": 0])
            answers.byPrompt["User Name:"] = nil
            let end = try await browser.finish(again, answers)
            try expectSignedIn(end)
            #expect(end["user.subject"] == .string(own))
            #expect(try await browser.signOut().status == 204)
            try expectSignedIn(try await browser.run(PageAnswers(user: own, password: settings.password)))
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
