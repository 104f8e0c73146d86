import HTTPCore
import JSON
import TestSupport
import Testing

@Suite("At a real AM, a credential of the browser", .enabled(if: Live.hasChains))
struct CredentialLiveTests {
    private func run(
        _ more: String, _ body: (LiveServer, AMSettings, AM) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        let host = try #require(WebURL(settings.address)).host
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(
                settings, settings.standard, journeys: [settings.signIn, "WebAuthn", "WebAuthnRegister"],
                more: ["webAuthn: { rpIds: \(host)\(more) }"])
        ]
        try await LiveServer.run(configuration) { try await body($0, settings, AM.of(settings)) }
    }

    /// The page of a journey that asks for a credential; it comes after a button of its own.
    private func asked(
        _ browser: LiveBrowser, _ journey: String, _ answers: PageAnswers
    ) async throws -> Wire.Answer {
        var page = try await browser.start("standard", ["journey": .string(journey), "forceAuth": true])
        for _ in 0..<3 where page["callbacks.0.specialised"] == nil { page = try await browser.next(page, answers) }
        try #require(page["callbacks.0.specialised"] != nil, "\(journey): \(page.text.prefix(400))")
        #expect(page["callbacks.1"] == nil)
        return page
    }

    private func give(
        _ browser: LiveBrowser, _ page: Wire.Answer, _ answer: JSONValue
    ) async throws -> Wire.Answer {
        let id = try #require(page["callbacks.0.id"]?.string)
        return try await browser.next(page, values: .object([id: answer]))
    }

    @Test func `is registered by who is signed in, and signs in from then on`() async throws {
        try await run(", insecureChallenge: true") { server, settings, am in
            let answers = PageAnswers(
                user: try await am.makeUser("Benützer Eins "), password: settings.password, choice: 0)
            let authenticator = SoftwareAuthenticator(origin: "http://localhost:\(server.port)")
            let browser = server.browser()
            let begun = try await browser.start("standard", ["journey": "WebAuthnRegister"])
            expectFailure(try await browser.next(begun, answers), "authentication-failed")
            try expectSignedIn(try await browser.run(answers))
            let register = try await asked(browser, "WebAuthnRegister", answers)
            #expect(register["callbacks.0.publicKey.user.name"] == .string(answers.user))
            let created = try authenticator.create(register["callbacks.0.publicKey"])
            try expectSignedIn(try await give(browser, register, ["credential": created]))
            #expect(try await browser.signOut().status == 204)
            #expect(try await eventually { try await am.sessions(of: answers.user) == 0 })

            var wrong = SoftwareAuthenticator.Deviation()
            wrong.challenge = "AQID"
            var page = try await asked(browser, "WebAuthn", answers)
            let options = page["callbacks.0.publicKey"]
            expectProblem(
                try await give(browser, page, ["credential": try authenticator.get(options, wrong)]), 422,
                "invalid-answers")
            let good = try await give(browser, page, ["credential": try authenticator.get(options)])
            try expectSignedIn(good)
            #expect(good["user.subject"] == .string(answers.user))
            #expect(try await browser.signOut().status == 204)

            wrong = SoftwareAuthenticator.Deviation()
            wrong.spoilsSignature = true
            page = try await asked(browser, "WebAuthn", answers)
            let spoilt = try authenticator.get(page["callbacks.0.publicKey"], wrong)
            expectFailure(try await give(browser, page, ["credential": spoilt]), "authentication-failed")
            for answer: JSONValue in [["unsupported": true], ["error": ["name": "NotAllowedError"]]] {
                page = try await asked(browser, "WebAuthn", answers)
                expectFailure(try await give(browser, page, answer), "authentication-failed")
            }
            #expect(try await eventually { try await am.sessions(of: answers.user) == 0 })
        }
    }

    @Test func `is not asked for while its challenge, which is the session, is kept from browsers`() async throws {
        try await run("") { server, settings, am in
            let answers = PageAnswers(user: try await am.makeUser(), password: settings.password, choice: 0)
            let browser = server.browser()
            let page = try await asked(browser, "WebAuthn", answers)
            #expect(page["callbacks.0.publicKey"] == nil && !page.text.contains("challenge"), "\(page.text)")
            #expect(!server.lines(containing: "insecureChallenge").isEmpty)
            expectFailure(try await give(browser, page, ["unsupported": true]), "authentication-failed")
        }
    }
}
