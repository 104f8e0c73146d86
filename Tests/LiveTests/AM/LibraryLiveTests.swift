import Basics
import Discovery
import HTTPCore
import JSON
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import StorageKit
import Testing

@Suite("At a real AM, the journey client in a program of its own", .enabled(if: Live.hasAdministrator))
struct LibraryLiveTests {
    private let session = MemoryStorage<SSOSession>()
    private let tokens = MemoryStorage<TokenSet>()

    private func caller() -> Caller {
        var storages = CallerStorages()
        storages[.session] = session
        storages[.tokens] = tokens
        return Caller(languages: ["en-GB"], deadline: .now + .seconds(30), storages: storages)
    }

    private func journey(_ settings: AMSettings, tokens: Bool) async throws -> Journey {
        let transport = try Wire.transport()
        let am = AM.of(settings)
        let client = settings.standard
        var openID = OpenIDClientSettings(
            discovery: try #require(WebURL(am.oauth("/") + "/.well-known/openid-configuration")),
            clientID: client.id, authentication: .basic(Secret(client.secret)), scopes: client.scopes,
            redirectURI: client.redirectURI)
        openID.insecureHTTP = true
        let directory = ProviderDirectory(transport: transport, time: SystemTime(), logger: .silent)
        let provider = OpenIDClient(openID, directory: directory, transport: transport, logger: .silent)
        return try Journey.createJourney { config in
            config.serverUrl = settings.address
            config.realm = settings.rootRealm
            config.journey = settings.signIn
            config.insecureHTTP = true
            config.transport = transport
            if tokens { config.oidc(provider) }
        }
    }

    private func signIn(_ journey: Journey, _ user: String, _ password: String) async throws -> FlowStep {
        let bound = journey.bound(to: caller())
        var step = try await bound.start()
        while case .continue(let page) = step.node {
            var answers = Answers()
            for case let callback as any JourneyCallback in page.actions {
                switch callback {
                case is NameCallback: answers.values[callback.id] = .string(user)
                case is PasswordCallback: answers.values[callback.id] = .string(password)
                default: break
                }
            }
            step = try await bound.next(step.flow, answers)
        }
        return step
    }

    @Test func `signs in, gets tokens and userinfo, and ends both`() async throws {
        let settings = try Live.requireAM()
        let am = AM.of(settings)
        let user = try await am.makeUser()
        let journey = try await journey(settings, tokens: true)
        let step = try await signIn(journey, user, settings.password)
        guard case .success(let success) = step.node else {
            Issue.record("\(step.node)")
            return
        }
        #expect(success.isSignedIn)
        let signedIn = try #require(try await journey.bound(to: caller()).user())
        #expect(try await signedIn.userinfo()["sub"]?.string == user)
        #expect(try await am.sessions(of: user) == 1)
        _ = await signedIn.logout()
        #expect(try await am.sessions(of: user) == 0)
        #expect(try await session.get() == nil)
        #expect(try await tokens.get() == nil)
    }

    @Test func `says what AM says of a wrong password`() async throws {
        let settings = try Live.requireAM()
        let user = try await AM.of(settings).makeUser()
        let step = try await signIn(try await journey(settings, tokens: false), user, "wrong")
        guard case .error(let refused) = step.node else {
            Issue.record("\(step.node)")
            return
        }
        #expect(refused.message == "Authentication Failed")
    }
}
