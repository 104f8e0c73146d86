import HTTPCore
import JSON
import Testing

@Suite("At a real AM, a refused sign-in", .enabled(if: Live.am != nil))
struct RefusedSignInTests {
    private func run(
        _ change: (inout LiveConfiguration, AMSettings) -> Void = { _, _ in },
        _ body: (LiveServer, AMSettings) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, settings.standard)]
        change(&configuration, settings)
        try await LiveServer.run(configuration) { try await body($0, settings) }
    }

    @Test func `has AM's text for a wrong password, somebody unknown and somebody inactive`() async throws {
        try await run { server, settings in
            let user = try await AM.of(settings).makeUser()
            let browser = server.browser()
            expectFailure(
                try await browser.run(PageAnswers(user: user, password: "wrong")), "authentication-failed",
                "Authentication Failed")
            expectFailure(
                try await browser.run(PageAnswers(user: "live-nobody", password: "wrong")), "authentication-failed",
                "Authentication Failed")
            expectFailure(
                try await browser.run(PageAnswers(user: settings.inactive, password: settings.password)),
                "authentication-failed", "User not Active")
            expectProblem(try await browser.user(), 401, "signed-out")
            // And none of it stands in the way of who may.
            try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
        }
    }

    @Test func `warns before it locks, and then says that it is locked`() async throws {
        try await run { server, settings in
            let user = try await AM.of(settings).makeUser()
            let browser = server.browser()
            let wrong = PageAnswers(user: user, password: "wrong")
            expectFailure(try await browser.run(wrong), "authentication-failed", "Authentication Failed")
            expectFailure(
                try await browser.run(wrong), "authentication-failed",
                "Authentication Failed Warning: You will be locked out after 1 more failure(s).")
            expectFailure(try await browser.run(wrong), "authentication-failed", "Your account has been locked.")
            let right = PageAnswers(user: user, password: settings.password)
            expectFailure(try await browser.run(right), "authentication-failed", "Your account has been locked.")
        }
    }

    @Test func `for an unknown journey names it in the log and nowhere else`() async throws {
        try await run({ configuration, _ in configuration.clients[0].journeys = ["NoSuchJourney"] }) { server, _ in
            let answer = try await server.browser().start()
            #expect(!answer.text.contains("NoSuchJourney"))
            expectFailure(answer, "configuration-error")
            #expect(server.lines(containing: "NoSuchJourney").isEmpty == false, "\(server.log.suffix(1500))")
        }
    }

    @Test func `for an unknown realm is the configuration's fault, and the log says so`() async throws {
        try await run({ configuration, _ in configuration.clients[0].realm = "nowhere" }) { server, settings in
            let answer = try await server.browser().start()
            expectFailure(answer, "configuration-error")
            #expect(server.lines(containing: "nowhere").isEmpty == false, "\(server.log.suffix(1500))")
        }
    }
}
