import HTTPCore
import JSON
import Testing

@Suite("At a real AM, a new secret", .enabled(if: Live.am != nil && Live.hasAdministrator))
struct ReloadLiveTests {
    private func configuration(_ settings: AMSettings, secret: String? = nil, _ upstream: Upstream) -> LiveConfiguration
    {
        var client = settings.standard
        if let secret { client.secret = secret }
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, client)]
        configuration.routes = [upstream.route("/api/a", "GET", clients: ["standard"], require: "signed-in")]
        return configuration
    }

    @Test func `is in force for a sign-in that is under way`() async throws {
        let settings = try Live.requireAM()
        try await Upstream.run { upstream in
            try await LiveServer.run(configuration(settings, secret: "wrong-secret", upstream)) { server in
                let user = try await AM.of(settings).makeUser()
                let answers = PageAnswers(user: user, password: settings.password)
                let browser = server.browser()
                expectFailure(try await browser.run(answers), "configuration-error")
                let page = try await browser.start()
                #expect(page["type"] == "continue", "\(page.text)")
                try await server.reload(configuration(settings, upstream))
                try expectSignedIn(try await browser.finish(page, answers))
                #expect(try await browser.signOut().status == 204)
            }
        }
    }

    @Test func `that AM has already serves who was signed in and who was about to be`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        try await Upstream.run { upstream in
            try await LiveServer.run(configuration(settings, upstream)) { server in
                let user = try await am.makeUser()
                let answers = PageAnswers(user: user, password: settings.password)
                let signedIn = server.browser()
                try expectSignedIn(try await signedIn.run(answers))
                let under = server.browser()
                let page = try await under.start()
                let late = server.browser()
                let other = try await late.start()
                try await am.withSecret("rotated-by-a-live-test", of: settings.standard) { client in
                    expectFailure(try await late.finish(other, answers), "configuration-error")
                    expectProblem(try await signedIn.refresh(), 502, "provider-refused")
                    #expect(try await signedIn.user()["subject"] == .string(user), "nobody is signed out by it")
                    try await server.reload(configuration(settings, secret: client.secret, upstream))
                    try expectSignedIn(try await under.finish(page, answers))
                    #expect(try await signedIn.refresh().status == 200)
                    #expect(try await signedIn.call(.get, "/api/a").status == 200)
                    let token = try upstream.lastToken()
                    #expect(try await am.isActive(token, of: client))
                    #expect(try await signedIn.signOut().status == 204)
                    #expect(try await eventually { try await !am.isActive(token, of: client) })
                    #expect(try await under.signOut().status == 204)
                    #expect(try await eventually { try await am.sessions(of: user) == 0 })
                }
            }
        }
    }

    @Test func `lets a revocation through that the old one held up`() async throws {
        let settings = try Live.requireAM()
        try await Upstream.run { upstream in
            let right = configuration(settings, upstream)
            try await LiveServer.run(right) { server in
                let am = AM.of(settings)
                let user = try await am.makeUser()
                let browser = server.browser()
                try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
                #expect(try await browser.call(.get, "/api/a").status == 200)
                let token = try upstream.lastToken()
                try await server.reload(configuration(settings, secret: "wrong-secret", upstream))
                #expect(try await browser.signOut().status == 204)
                // The session needs no secret to end.
                #expect(try await eventually { try await am.sessions(of: user) == 0 })
                #expect(try await am.isActive(token, of: settings.standard))
                #expect(server.lines(containing: "invalid_client").isEmpty == false, "the log does not say why")
                try await server.reload(right)
                #expect(
                    try await eventually(within: .seconds(90), every: .seconds(1)) {
                        try await !am.isActive(token, of: settings.standard)
                    }, "the token is never revoked")
            }
        }
    }
}
