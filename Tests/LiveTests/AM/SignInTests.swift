import HTTPCore
import JSON
import Testing

@Suite("At a real AM, a sign-in", .enabled(if: Live.am != nil))
struct SignInTests {
    /// A client of the settings in one of the realms.
    struct Case: Sendable, CustomTestStringConvertible {
        let client: OAuthClient
        let realm: String
        let testDescription: String
    }

    private static var cases: [Case] {
        guard case .success(let am)? = Live.am else { return [] }
        let root = am.clients.map { Case(client: $0, realm: am.rootRealm, testDescription: "\($0.name)") }
        return root + [Case(client: am.standard, realm: am.subRealm, testDescription: "standard in \(am.subRealm)")]
    }

    @Test func `has an AM to go to`() throws {
        _ = try Live.requireAM()
    }

    @Test(
        "gives tokens and a session that live, are renewed, are revoked and end with the logout",
        .enabled(if: Live.hasAdministrator), arguments: cases)
    func whole(item: Case) async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser(realm: item.realm)
        try await Upstream.run { upstream in
            var configuration = LiveConfiguration(am: settings)
            configuration.clients = [
                LiveConfiguration.client(settings, item.client, name: "standard", realm: item.realm)
            ]
            configuration.routes = [upstream.route("/api/a", "GET", clients: ["standard"], require: "signed-in")]
            try await LiveServer.run(configuration) { server in
                let browser = server.browser()
                try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
                let claims = try await browser.user()
                #expect(claims["subject"] == .string(user) && claims["claims.sub"] == .string(user), "\(claims.text)")
                #expect(claims["claims.name"] == "Live Test", "userinfo: \(claims.text)")

                #expect(try await browser.call(.get, "/api/a").status == 200)
                let first = try upstream.lastToken()
                #expect(try await am.isActive(first, of: item.client, realm: item.realm))
                #expect(try await am.sessions(of: user, realm: item.realm) == 1)

                let refreshed = try await browser.refresh()
                #expect(refreshed.status == 200, "\(refreshed.text)")
                #expect(try await browser.call(.get, "/api/a").status == 200)
                let second = try upstream.lastToken()
                #expect(second != first)

                #expect(try await browser.revoke().status / 100 == 2)
                #expect(try await !am.isActive(second, of: item.client, realm: item.realm))
                #expect(try await am.sessions(of: user, realm: item.realm) == 1, "the session is not the token's")

                // Signing in over the living session, with a page or without, leaves one.
                try expectSignedIn(try await browser.run(PageAnswers(user: user, password: settings.password)))
                // The former session is kept until the new cookie has come back: its answer might have been lost.
                #expect(try await browser.user()["subject"] == .string(user))
                let isOne = try await eventually { try await am.sessions(of: user, realm: item.realm) == 1 }
                let count = try await am.sessions(of: user, realm: item.realm)
                #expect(isOne, "the former session lives on: \(count) sessions")
                #expect(try await browser.call(.get, "/api/a").status == 200)
                let third = try upstream.lastToken()
                #expect(try await am.isActive(third, of: item.client, realm: item.realm))

                #expect(try await browser.signOut().status == 204)
                // The answer does not wait for AM.
                #expect(try await eventually { try await am.sessions(of: user, realm: item.realm) == 0 })
                #expect(try await !am.isActive(third, of: item.client, realm: item.realm))
                expectProblem(try await browser.user(), 401, "signed-out")
                #expect(server.lines(containing: " warning ") + server.lines(containing: " error ") == [])
            }
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `over another leaves one session, and none after the logout`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, settings.standard)]
        try await LiveServer.run(configuration) { server in
            let browser = server.browser()
            let answers = PageAnswers(user: user, password: settings.password)
            try expectSignedIn(try await browser.run(answers))
            try expectSignedIn(try await browser.run(answers, "standard", ["forceAuth": true]))
            #expect(try await browser.user().status == 200)
            #expect(try await eventually { try await am.sessions(of: user) == 1 }, "the former session lives on")
            #expect(try await browser.signOut().status == 204)
            #expect(try await eventually { try await am.sessions(of: user) == 0 }, "a session outlives the logout")
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `by a journey with blanks in its name works`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [
            LiveConfiguration.client(settings, settings.standard, journeys: [settings.signIn, settings.blanks])
        ]
        try await LiveServer.run(configuration) { server in
            let browser = server.browser()
            let answers = PageAnswers(user: user, password: settings.password)
            try expectSignedIn(
                try await browser.run(answers, "standard", ["journey": .string(settings.blanks)]))
            #expect(try await browser.signOut().status == 204)
            #expect(try await eventually { try await am.sessions(of: user) == 0 })
        }
    }

    @Test(.enabled(if: Live.hasAdministrator))
    func `that needs consent fails with that reason and leaves no session`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser()
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, settings.consent, name: "standard")]
        try await LiveServer.run(configuration) { server in
            let browser = server.browser()
            let end = try await browser.run(PageAnswers(user: user, password: settings.password))
            expectFailure(end, "consent-required")
            expectProblem(try await browser.user(), 401, "signed-out")
            #expect(server.lines(containing: "consent").isEmpty == false, "the log does not say why")
        }
    }

    @Test func `with a wrong client secret is the configuration's fault, and the log says so`() async throws {
        let settings = try Live.requireAM()
        var wrongSecret = settings.standard
        wrongSecret.secret = "not-the-secret"
        var configuration = LiveConfiguration(am: settings)
        configuration.clients = [LiveConfiguration.client(settings, wrongSecret)]
        try await LiveServer.run(configuration) { server in
            let user = try await AM.of(settings).makeUser()
            let end = try await server.browser().run(PageAnswers(user: user, password: settings.password))
            expectFailure(end, "configuration-error")
            #expect(server.lines(containing: "invalid_client").isEmpty == false, "\(server.log.suffix(1500))")
        }
    }
}
