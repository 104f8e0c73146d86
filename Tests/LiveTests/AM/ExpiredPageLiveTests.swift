import JSON
import Testing

@Suite(
    "A page of a real AM that is answered too late",
    .enabled(if: Live.am != nil && Live.hasAdministrator && Live.hasPageLifetime))
struct ExpiredPageLiveTests {
    /// Nothing but time passes: a page begun together with it and answered in time is a sign-in.
    @Test func `ends with journey-expired, and the next sign-in is as ever`() async throws {
        let settings = try Live.requireAM()
        let lifetime = try #require(settings.pageLifetime)
        let am = AM.of(settings)
        let user = try await am.makeUser()
        let answers = PageAnswers(user: user, password: settings.password)
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, settings.standard)]
        try await LiveServer.run(configuration) { server in
            let raw = try await am.start()
            let late = server.browser()
            let page = try await late.start()
            let inTime = server.browser()
            let other = try await inTime.start()

            try await Task.sleep(for: lifetime / 2)
            try expectSignedIn(try await inTime.next(other, answers))
            try await Task.sleep(for: lifetime / 2 + .seconds(2))

            let said = try await am.answer(raw, answers)
            #expect(said.status == 408 && said["message"] == "Session has timed out", "\(said.status) \(said.text)")
            let expired = try await late.next(page, answers)
            #expect(expired.status == 200)
            expectFailure(expired, "journey-expired", "Session has timed out")
            expectProblem(try await late.user(), 401, "signed-out")
            #expect(try await am.sessions(of: user) == 1)

            try expectSignedIn(try await late.run(answers))
            #expect(try await late.signOut().status == 204)
            #expect(try await inTime.signOut().status == 204)
            #expect(try await eventually { try await am.sessions(of: user) == 0 })
        }
    }
}
