import Basics
import Cloakroom
import HTTPCore
import IdentitySimulator
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

@Suite("What the SDK's pages show does the same here:")
struct SDKPageTests {
    private let network = ScriptedTransport()
    private let am = "https://tenant.example.com/am/json/realms/root/realms/alpha"

    /// Runs the body at a simulated AM, by the transport of the process.
    private func atSimulator(_ body: (Tenant) async throws -> Void) async throws {
        let simulator = try Simulator(
            SimulatorSettings(.ping), time: SystemTime(), logger: RecordedLog().logger("simulator"))
        try simulator.start()
        let tenant = Tenant(
            server: simulator.serverURL, secrets: ["bff": Secret("s/ecret+1"), "bff-tx": Secret("tx:s%cret")])
        do { try await body(tenant) } catch {
            await simulator.stop()
            throw error
        }
        await simulator.stop()
    }

    @Test func `the workflow runs its modules in every state`() async throws {
        network.on(.get, "https://idp.example.com/flow", answering: .json(#"{"page":1}"#))
        network.on(.post, "https://idp.example.com/flow", answering: .json("{}"))
        network.on(.get, "https://idp.example.com/end", answering: .json("{}"))
        let trail = try await walk(makeShopWorkflow(network))
        #expect(trail == "start in eu, 200, node, next, 200, node, success")
        #expect(network.requests.map(\.url.query) == ["ForceAuth=true", "noSession=true", nil])
        #expect(network.requests.map { $0.header("x-shop") } == ["web-2", "web-2", nil])
    }

    @Test func `a user has tokens, claims and a way out`() async throws {
        try await atSimulator { tenant in
            let journey = try makeUserJourney(tenant.server, secret: Secret("s/ecret+1"))
            #expect(try await useSession(journey) == ["nobody"])
            let node = try await run(journey, as: "demo", "Ch4ng3it!")
            #expect(outcome(of: node).hasPrefix("signed in at /alpha, on to /"))
            #expect(
                try await useSession(journey) == [
                    "token for openid profile email", "userinfo of demo", "renewed: true",
                    "revoked; still a session: true", "signed out: true",
                ])
            #expect(try await useSession(journey) == ["nobody"])
            let refused = try await run(journey, as: "demo", "wrong")
            #expect(outcome(of: refused).hasPrefix("refused: ") && message(in: refused)?.isEmpty == false)
        }
    }

    @Test func `two clients share a session and keep their tokens apart`() async throws {
        try await atSimulator { tenant in
            let bank = try Bank(tenant)
            _ = try await run(bank.standard, as: "demo", "Ch4ng3it!")
            let stepped = try await run(bank.transaction, as: "demo", "424242", StartOptions(forceAuth: true))
            #expect(outcome(of: stepped).hasPrefix("signed in"), "\(outcome(of: stepped))")
            let standard = try #require(try await bank.standard.bound().user()?.token())
            let elevated = try #require(try await bank.freshTransactionToken())
            #expect(!standard.scopes.contains("WRITE_TRANSACTION") && elevated.scopes.contains("WRITE_TRANSACTION"))
            let named = NamedJourneys(bank)
            #expect(try await named.freshToken(of: "standard")?.subject == elevated.subject)
            #expect(try await named.freshToken(of: "admin") == nil && named["admin"] == nil)
            try await bank.signOutBoth()
            #expect(try await bank.standard.bound().user() == nil)
            try await named.signOutAll()
        }
    }

    @Test func `users lie apart, outlive the process and are signed out one by one or all`() async throws {
        try await atSimulator { tenant in
            let folder = try TemporaryFolder()
            let keys = try ServerKeys([ServerKey(line: ServerKey.generateLine(id: "k1").reveal())])
            let first = try makeAccount("alice", tenant, in: folder.path, keys)
            let second = try makeAccount("bob", tenant, in: folder.path, keys)
            _ = try await run(first, as: "demo", "Ch4ng3it!")
            _ = try await run(second, as: "demo", "Ch4ng3it!")
            // As another process would: the same accounts, made anew.
            let again = try makeAccount("alice", tenant, in: folder.path, keys)
            #expect(try await again.bound().session() == first.bound().session())
            #expect(try await again.bound().session()?.value != second.bound().session()?.value)
            _ = try await first.bound().user()?.logout()
            #expect(try await again.bound().user() == nil)
            #expect(try await second.bound().user() != nil)
            let accounts = Accounts()
            await accounts.add(again)
            await accounts.add(second)
            try await accounts.signOutAll()
            #expect(try await second.bound().user() == nil)
        }
    }

    @Test func `a dog is kept, sealed, in a file or on a shelf`() async throws {
        let folder = try TemporaryFolder()
        let line = try ServerKey.generateLine(id: "k1").reveal()
        #expect(try await keepDog(in: folder.path, line) == Dog(name: "Bella", breed: "Whippet"))
        let quick = quickDogs(in: folder.path)
        try await quick.save(Dog(name: "Rex", breed: "Boxer"))
        #expect(try await quick.get()?.name == "Rex")
        let sealed = sealedDogs(ServerKeyEncryptor(try ServerKeys([ServerKey(line: line)])))
        try await sealed.save(Dog(name: "Rex", breed: "Boxer"))
        #expect(try await sealed.get()?.name == "Rex")
        let shelf = Shelf<SSOSession>()
        network.on(.get, am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        network.on(.post, am + "/authenticate", answering: .json(#"{"tokenId":"t","successUrl":"/","realm":"/alpha"}"#))
        let journey = try makeShelvedJourney(network, shelf)
        _ = try await journey.bound().start()
        #expect(try await shelf.get()?.value.reveal() == "t")
        #expect(await journey.bound().signOff().session.isFailed)
        #expect(try await shelf.get() == nil)
    }

    @Test func `French stands before what the browser asks for`() async throws {
        network.on(.get, am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        network.on(.post, am + "/authenticate", answering: .json(#"{"authId":"a","callbacks":[]}"#))
        for journey in [try makeFrenchJourney(network), try makeFrenchJourneyBySetting(network)] {
            _ = try await journey.bound(to: Caller(languages: ["en-GB"])).start()
            #expect(network.requests.last?.header("accept-language") == "fr, en-GB;q=0.9, en;q=0.8")
        }
    }

    @Test func `keys come from a command that prints them`() throws {
        let first = try ServerKey.generateLine(id: "new").reveal()
        let second = try ServerKey.generateLine(id: "old").reveal()
        #expect(try keys(from: ["printf", "%s\\n%s\\n", first, second]).ids == ["new", "old"])
        #expect(throws: KeyCommandError.self) { try keys(from: ["false"]) }
        #expect(throws: KeyCommandError.self) { try keys(from: ["/no/such/command"]) }
        #expect(throws: ServerKeyError.self) { try keys(from: ["echo", "no key"]) }
    }

    @Test func `the server is extended by modules and callback types`() throws {
        var extensions = ServerExtensions()
        extend(&extensions)
        let page = try JourneyPage(
            try JSONValue(
                parsing: #"{"callbacks":[{"type":"RatingCallback","input":[{"name":"IDToken1","value":0}]}]}"#),
            catalogue: CallbackCatalogue.standard.adding([RatingCallback.self]))
        #expect(page.validate(Answers(["IDToken1": 6])).map(\.code) == [.outOfRange])
        #expect(page.validate(Answers(["IDToken1": 5])).isEmpty)
    }
}

extension SignOffReport.Remote {
    fileprivate var isFailed: Bool { if case .failed = self { true } else { false } }
}
