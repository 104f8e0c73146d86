import Basics
import HTTPCore
import HTTPServer
import JSON
import Testing

@Suite("Behind a gateway that asks a real AM,", .enabled(if: Live.hasAdministrator && Live.hasPolicy))
struct PolicyLiveTests {
    /// Decides as a gateway does: AM's policy endpoint is asked about each call, for a session and the level that the
    /// token's client vouches for, and what it advises goes back as PingGateway and the agents write it.
    private static func gateway(_ am: AM, session: String) -> @Sendable (Upstream.Seen) async -> ServerResponse {
        { call in
            do {
                guard let token = call.token else { return ServerResponse(status: 401) }
                let isStrong = try await am.isActive(token, of: am.settings.transaction)
                let decision = try await am.decision(
                    session: session, level: isStrong ? am.settings.policy?.level : nil)
                if decision["0.actions.\(call.method.rawValue)"] == true {
                    return ServerResponse(status: 200, body: Array("{}".utf8))
                }
                guard let advices = decision["0.advices"], advices.object?.isEmpty == false else {
                    return ServerResponse(status: 403)
                }
                let encoded = Base64.encode(advices.serialized())
                let challenge = "SSOADVICE realm=\"/\",advices=\"\(encoded)\",am_uri=\"\(am.settings.address)\""
                return ServerResponse(status: 401, headers: [ResponseHeader("WWW-Authenticate", challenge)])
            } catch {
                return ServerResponse(status: 500)
            }
        }
    }

    @Test func `a call that needs a level gets its step-up, and then passes`() async throws {
        let settings = try Live.requireAM()
        let policy = try #require(settings.policy)
        let am = AM.of(settings)
        let user = try await am.makeUser()
        let session = try await am.session(of: user)
        try await Upstream.run(answer: Self.gateway(am, session: session)) { upstream in
            var configuration = LiveConfiguration(am: settings)
            configuration.clients = [
                LiveConfiguration.client(settings, settings.standard),
                LiveConfiguration.client(
                    settings, settings.transaction, name: "transaction", journeys: [settings.stepUp],
                    more: ["tokenStorage: transaction"]),
            ]
            // This AM says no level of a token: the gateway decides, the requirement only says who can do it.
            configuration.requirements = [
                "level: { authLevel: \(policy.level), maxAge: 5m, stepUp: transaction, challengeAcr: gold }"
            ]
            configuration.routes = [
                upstream.route("/api/pay", "POST", clients: ["standard", "transaction"], require: "signed-in")
            ]
            try await LiveServer.run(configuration) { server in
                let browser = server.browser()
                let answers = PageAnswers(user: user, password: settings.password)
                try expectSignedIn(try await browser.run(answers))
                let refused = try await browser.call(.post, "/api/pay", ["amount": 5])
                expectProblem(refused, 403, "step-up-required")
                let goal = try #require(refused["stepUp.for"]?.string)
                #expect(goal.hasPrefix("c_"), "\(goal)")
                try expectSignedIn(try await browser.run(answers, "transaction", ["for": .string(goal)]))
                let passed = try await browser.call(.post, "/api/pay", ["amount": 5])
                #expect(passed.status == 200, "\(passed.status) \(passed.text)")
            }
        }
    }
}
