import HTTPCore
import JSON
import Testing

@Suite("When a real AM", .enabled(if: Live.am != nil && Live.hasControl && Live.hasAdministrator), .serialized)
struct OutageLiveTests {
    private func run(
        timeout: String, _ body: (LiveServer, Upstream, AMSettings) async throws -> Void
    ) async throws {
        let settings = try Live.requireAM()
        try await Upstream.run { upstream in
            var configuration = LiveConfiguration(am: settings)
            configuration.clients = [
                LiveConfiguration.client(settings, settings.standard, more: ["timeout: \(timeout)"])
            ]
            configuration.routes = [upstream.route("/api/a", "GET", clients: ["standard"], require: "signed-in")]
            try await LiveServer.run(configuration) { try await body($0, upstream, settings) }
        }
    }

    @Test func `hangs, calls end in time, nobody is signed out, and all goes on afterwards`() async throws {
        try await run(timeout: "3s") { server, _, settings in
            let am = AM.of(settings)
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            let browser = server.browser()
            try expectSignedIn(try await browser.run(answers))
            let another = server.browser()
            let page = try await another.start()

            try await am.control("pause")
            let failed: [Wire.Answer]
            do {
                let refresh = try await browser.refresh()
                let start = try await server.browser().start()
                let next = try await another.next(page, answers)
                let user = try await browser.user()
                let api = try await browser.call(.get, "/api/a")
                failed = [refresh, start, next, user, api]
            } catch {
                try await am.control("resume")
                throw error
            }
            try await am.control("resume")
            expectProblem(failed[0], 503, "provider-unavailable")
            // What was sent may have arrived: it is never sent again, and the flow is over.
            expectFailure(failed[1], "provider-unavailable")
            expectFailure(failed[2], "provider-unavailable")
            #expect(failed[3].status == 200 && failed[4].status == 200, "what needs no provider goes on")

            #expect(try await eventually { try await browser.refresh().status == 200 })
            #expect(try await browser.user()["subject"] == .string(user))
            try expectSignedIn(try await server.browser().run(answers))
            #expect(try await browser.signOut().status == 204)
        }
    }

    @Test func `starts again, flows say that they expired, and sign-in, refresh and logout end well`() async throws {
        // The first calls of an AM that has just started take their time.
        try await run(timeout: "60s") { server, upstream, settings in
            let am = AM.of(settings)
            let user = try await am.makeUser()
            let answers = PageAnswers(user: user, password: settings.password)
            let browser = server.browser()
            try expectSignedIn(try await browser.run(answers))
            let leaving = server.browser()
            try expectSignedIn(try await leaving.run(answers))
            let another = server.browser()
            let page = try await another.start()
            #expect(try await browser.call(.get, "/api/a").status == 200)
            let token = try upstream.lastToken()

            try await am.control("restart")

            // What AM keeps in its memory is gone, the page's authId with it; what it stores is not.
            let expired = try await another.next(page, answers)
            expectFailure(expired, "journey-expired")
            try expectSignedIn(try await another.run(answers))

            #expect(try await browser.user().status == 200)
            let refreshed = try await browser.refresh()
            #expect(refreshed.status == 200, "\(refreshed.text)")
            #expect(try await browser.call(.get, "/api/a").status == 200)
            #expect(try upstream.lastToken() != token)

            // A logout meets a session that is gone already: done.
            #expect(try await leaving.signOut().status == 204)
            #expect(try await browser.signOut().status == 204)
            #expect(try await another.signOut().status == 204)
            #expect(try await eventually { try await am.sessions(of: user) == 0 })
            let last = try upstream.lastToken()
            #expect(try await eventually { try await !am.isActive(last, of: settings.standard) })
        }
    }
}
