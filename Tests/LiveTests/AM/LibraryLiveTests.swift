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

    private func journey(
        _ settings: AMSettings, tokens: Bool, transport: (any HTTPTransport)? = nil
    ) async throws -> Journey {
        let transport = try transport ?? Wire.transport()
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

    private func answers(to page: ContinueNode, _ user: String, _ password: String) -> Answers {
        var answers = Answers()
        for case let callback as any JourneyCallback in page.actions {
            switch callback {
            case is NameCallback: answers.values[callback.id] = .string(user)
            case is PasswordCallback: answers.values[callback.id] = .string(password)
            default: break
            }
        }
        return answers
    }

    private func signIn(_ journey: Journey, _ user: String, _ password: String) async throws -> FlowStep {
        let bound = journey.bound(to: caller())
        var step = try await bound.start()
        while case .continue(let page) = step.node {
            step = try await bound.next(step.flow, answers(to: page, user, password))
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

    @Test func `sends an answer once each time it is asked to, and tells what AM says of the second`() async throws {
        let settings = try Live.requireAM()
        let user = try await AM.of(settings).makeUser()
        let transport = CountedTransport(base: try Wire.transport())
        let journey = try await journey(settings, tokens: false, transport: transport).bound(to: caller())
        let step = try await journey.start()
        guard case .continue(let page) = step.node else {
            Issue.record("\(step.node)")
            return
        }
        let answers = answers(to: page, user, settings.password)
        let before = transport.count
        let first = try await journey.next(step.flow, answers)
        guard case .success = first.node else {
            Issue.record("\(first.node)")
            return
        }
        #expect(transport.count == before + 1)
        // The same flow, and with it the same authId: what makes it single is its keeper, as the server is.
        let second = try await journey.next(step.flow, answers)
        #expect(transport.count == before + 2)
        guard case .error(let refused) = second.node else {
            Issue.record("\(second.node)")
            return
        }
        #expect(refused.status == 408 && refused.message == "Session has timed out")
        #expect(refused.journeyKind == .journeyExpired)
        #expect(try await AM.of(settings).sessions(of: user) == 1)
    }

    /// Without its cookies AM takes nobody for the one who left (docs/protocol.md, 'Leaving and resuming').
    @Test(.enabled(if: Live.hasChains && Live.provider != nil))
    func `hears a refusal where a flow comes back from another provider without its cookies`() async throws {
        let settings = try Live.requireAM()
        for forgets in [true, false] {
            let transport = CountedTransport(base: try Wire.transport(), forgetsCookies: forgets)
            let journey = try await journey(settings, tokens: false, transport: transport).bound(to: caller())
            let step = try await journey.start("Social")
            guard case .continue(let page) = step.node, let redirect = JourneyPage(page).redirect else {
                Issue.record("\(step.node)")
                return
            }
            let back = try await Provider.required().walk(redirect.redirectURL, to: "http://localhost:18090/")
            let query = try #require(WebURL(back)?.query.flatMap { QueryParameters(parsing: $0) })
            var returned = QueryParameters()
            for pair in query.pairs where Journey.returnNames.contains(pair.name) {
                returned.append(pair.name, pair.value)
            }
            switch try await journey.resume(step.flow, returned: returned).node {
            case .error(let refused):
                #expect(forgets && refused.status == 401 && refused.journeyKind == .authenticationFailed)
                #expect(refused.message == "Authentication Failed")
            case let node: if case .success = node, !forgets {} else { Issue.record("\(node)") }
            }
        }
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

/// A transport that counts the calls to `authenticate`, and may lose their cookies.
private struct CountedTransport: HTTPTransport {
    let base: any HTTPTransport
    let forgetsCookies: Bool
    private let calls = Locked(0)

    init(base: any HTTPTransport, forgetsCookies: Bool = false) {
        (self.base, self.forgetsCookies) = (base, forgetsCookies)
    }

    var count: Int { calls.withLock { $0 } }

    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        var request = request
        if request.url.path.hasSuffix("/authenticate") {
            calls.withLock { $0 += 1 }
            if forgetsCookies { request.fields.remove(.cookie) }
        }
        return try await base.send(request, deadline: deadline)
    }

    func stream(
        _ request: StreamedRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        try await sendBuffered(request, deadline: deadline)
    }
}
