import HTTPCore
import JSON
import Testing

/// What AM says of an `authId` that comes again when it is asked past the server, and that the server sends each answer once.
///
/// What AM does with two that come at the same moment is chance (`docs/am-compatibility.md`) and asserted nowhere.
@Suite("At a real AM, an answer that comes twice", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct RepeatedAnswerLiveTests {
    private static let timedOut: JSONValue = [
        "code": 408, "reason": "Request Time-out", "message": "Session has timed out",
    ]

    @Test func `is refused by AM, whether the first one was right or wrong`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser()
        let right = PageAnswers(user: user, password: settings.password)

        let page = try await am.start()
        let first = try await am.answer(page, right)
        #expect(first.status == 200 && first["tokenId"] != nil, "\(first.text)")
        for answers in [right, PageAnswers(user: user, password: "wrong")] {
            let again = try await am.answer(page, answers)
            #expect(again.status == 408 && again.json == Self.timedOut, "\(again.status) \(again.text)")
        }
        #expect(try await am.sessions(of: user) == 1)

        let another = try await am.start()
        let refused = try await am.answer(another, PageAnswers(user: user, password: "wrong"))
        #expect(refused.status == 401, "\(refused.text)")
        let late = try await am.answer(another, right)
        #expect(late.status == 408 && late.json == Self.timedOut, "\(late.status) \(late.text)")
        #expect(try await am.sessions(of: user) == 1)
    }

    /// All pages of a run have one `authId`: it does not tell AM which page an answer is for.
    @Test func `to an earlier page is measured by AM against the page shown now`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let (user, code) = try OneTimeCode.next(of: settings)
        let answers = PageAnswers(user: user, password: settings.password, code: code)
        let first = try await am.start(journey: settings.oneTime)
        let second = try await am.answer(first, answers)
        #expect(second["callbacks"] != nil && second["authId"] == first["authId"], "\(second.status)")
        let again = try await am.answer(first, answers)
        #expect(again.status == 400, "\(again.text)")
        #expect(again["message"] == "Required callback not found in JSON response")
        let end = try await am.answer(second, answers)
        #expect(end.status == 200 && end["tokenId"] != nil, "\(end.status) \(end.text)")
    }

    /// A server with one client, and the number of its calls to AM's `authenticate`.
    private func run(
        _ body: (LiveServer, PageAnswers, AMSettings, _ sent: () -> Int) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, settings.standard)]
        try await LiveServer.run(configuration) { server in
            let user = try await AM.of(settings).makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            try await body(server, answers, settings) {
                server.lines(containing: "/authenticate").filter { $0.contains("provider request") }.count
            }
        }
    }

    @Test func `after the first gets what that one got, and AM gets one`() async throws {
        try await run { server, answers, settings, sent in
            let browser = server.browser()
            let page = try await browser.start()
            #expect(sent() == 1)
            let first = try await browser.next(page, answers)
            try expectSignedIn(first)
            let again = try await browser.next(page, answers)
            #expect(again.status == 200 && again.json == first.json, "\(again.status) \(again.text)")
            let other = try await browser.next(page, PageAnswers(user: answers.user, password: "other"))
            expectProblem(other, 410, "flow-expired")
            #expect(sent() == 2)
            #expect(try await AM.of(settings).sessions(of: answers.user) == 1)
        }
    }

    @Test func `together with the first gets what that one got, and AM gets one`() async throws {
        try await run { server, answers, settings, sent in
            let browser = server.browser()
            let page = try await browser.start()
            async let one = browser.next(page, answers)
            async let two = browser.next(page, answers)
            let (first, second) = (try await one, try await two)
            try expectSignedIn(first)
            #expect(second.status == 200 && second.json == first.json, "\(second.status) \(second.text)")
            #expect(sent() == 2)
            #expect(try await browser.user()["subject"] == .string(answers.user))
            #expect(try await AM.of(settings).sessions(of: answers.user) == 1)
        }
    }

    @Test func `after a wrong one gets that one's refusal, and AM gets one`() async throws {
        try await run { server, answers, settings, sent in
            let browser = server.browser()
            let page = try await browser.start()
            let wrong = PageAnswers(user: answers.user, password: "wrong")
            let first = try await browser.next(page, wrong)
            expectFailure(first, "authentication-failed", "Authentication Failed")
            let again = try await browser.next(page, wrong)
            #expect(again.status == 200 && again.json == first.json, "\(again.status) \(again.text)")
            #expect(sent() == 2)
            #expect(try await eventually { try await AM.of(settings).sessions(of: answers.user) == 0 })
        }
    }
}
