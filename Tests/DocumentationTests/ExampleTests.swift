import Basics
import HTTPClient
import HTTPCore
import HTTPServer
import JSON
import JourneyClient
import Logs
import OpenIDConnect
import Orchestrate
import ResourceServer
import StorageKit
import StorageSQLite
import TestSupport
import Testing

@Suite("The examples of the documentation do what it says:")
struct ExampleTests {
    private let network = ScriptedTransport()
    private let am = "https://tenant.example.com/am/json/realms/root/realms/alpha"

    @Test func `the workflow sends its header, counts its pages and goes on from stored bytes`() async throws {
        network.on(.get, "https://idp.example.com/flow", answering: .json(#"{"page":1}"#))
        network.on(.post, "https://idp.example.com/flow", answering: .json("{}"))
        let step = try await runFlow(makeWorkflow(network))
        guard case .success = step.node else {
            Issue.record("\(step.node)")
            return
        }
        #expect(step.flow.context[.answered] == 1)
        #expect(network.requests.map { $0.header("x-trace") } == ["42", "42"])
        let answer = network.requests.last?.body ?? []
        #expect(String(decoding: answer, as: UTF8.self) == #"{"page":1,"code":"424242"}"#)
    }

    @Test func `the journey signs its user in and keeps the session`() async throws {
        network.on(.get, am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        network.on(
            .post, am + "/authenticate",
            answering: .json(
                """
                {"authId":"a","callbacks":[{"type":"NameCallback","output":[],"input":[{"name":"IDToken1","value":""}]},\
                {"type":"PasswordCallback","output":[],"input":[{"name":"IDToken2","value":""}]}]}
                """), .json(#"{"tokenId":"the-session","successUrl":"/","realm":"/alpha"}"#))
        let user = UserStores()
        #expect(try await signIn(makeJourney(network), user))
        #expect(try await user.session.get()?.value.reveal() == "the-session")
        let answered = try JSONValue(parsing: try #require(network.requests.last).body)
        let inputs = answered["callbacks"]?.array?.map { $0["input"]?.array?.first?["value"]?.string }
        #expect(inputs == ["demo", "Ch4ng3it!"])
    }

    @Test func `the journey says that its user was refused`() async throws {
        network.on(.get, am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        network.on(
            .post, am + "/authenticate",
            answering: .json(#"{"code":401,"reason":"Unauthorized","message":"Login failure"}"#, status: 401))
        let user = UserStores()
        #expect(try await !signIn(makeJourney(network), user))
        #expect(try await user.session.get() == nil)
    }

    @Test(arguments: ["https://admin.example.com", "https://evil.example.com"])
    func `the journey tells AM of its user's browser`(page: String) async throws {
        network.on(.get, am + "/serverinfo/*", answering: .json(#"{"cookieName":"sso"}"#))
        network.on(.post, am + "/authenticate", answering: .json(#"{"authId":"a","callbacks":[]}"#))
        _ = try await startFrom(page, makeTellingJourney(network), UserStores())
        let sent = try #require(network.requests.last)
        let isListed = page == "https://admin.example.com"
        #expect(sent.header("origin") == (isListed ? page : "https://app.example.com"))
        #expect(sent.header("x-forwarded-for") == "192.0.2.7")
        #expect(sent.header("user-agent") == "Mozilla/5.0 (X11; Linux x86_64)")
    }

    @Test func `the client reads its provider's metadata first`() async throws {
        let client = try makeClient(network, secret: Secret("s3cret"))
        await #expect(throws: OpenIDError.self) { try await client.metadata(deadline: .now + .seconds(1)) }
        #expect(network.requests.map(\.url.text) == [client.settings.discovery.text])
    }

    @Test func `the client finishes an authorization by its own answer, once`() async throws {
        let issuer = "https://login.example.com/realms/shop"
        network.on(
            .get, issuer + "/.well-known/openid-configuration",
            answering: .json(
                """
                {"issuer":"\(issuer)","authorization_endpoint":"\(issuer)/authorize",\
                "token_endpoint":"\(issuer)/access_token","jwks_uri":"\(issuer)/keys"}
                """))
        // The example of RFC 7517, appendix A.1.
        network.on(
            .get, issuer + "/keys",
            answering: .json(
                """
                {"keys":[{"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
                "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"}]}
                """))
        let client = try makeClient(network, secret: Secret("s3cret"))
        var stored: [String: [UInt8]] = [:]
        guard case .get(let address) = try await begin(client, &stored) else {
            Issue.record("not an address")
            return
        }
        let state = try #require(QueryParameters(parsing: address.query ?? "")?.single("state"))
        let query = try #require(QueryParameters(parsing: "error=access_denied&state=" + state))
        await #expect(throws: OpenIDError.rejected(code: "access_denied", status: 302)) {
            try await finish(query, client, &stored)
        }
        #expect(try await finish(query, client, &stored) == nil)
    }

    @Test func `the storage of one's own passes everything on`() async throws {
        let calls = Locked<[String]>([])
        let storage = LoggingStorage(MemoryStorage<Int>()) { call in calls.withLock { $0.append(call) } }
        try await storage.save(1)
        #expect(try await storage.get() == 1)
        try await storage.delete()
        #expect(try await storage.get() == nil)
        #expect(calls.withLock { $0 } == ["save", "get", "delete", "get"])
    }

    @Test func `the second write takes the revision of the first`() async throws {
        let store = MemoryStore(time: SystemTime())
        let session = SessionKey(tag: [1])
        try await writeTwice(store, session)
        let read = try await store.read(session, .all)
        #expect(read.entries.map { String(decoding: $0.field.value, as: UTF8.self) } == ["two"])
        await #expect(throws: StoreError.self) { try await writeTwice(store, session) }
    }

    @Test func `the store in a file does the same`() async throws {
        let folder = try TemporaryFolder()
        let store = try openStore(folder.file("sessions.sqlite"))
        let session = SessionKey(tag: [1])
        try await writeTwice(store, session)
        #expect(try await store.read(session, .all).entries.count == 1)
        await store.close()
    }

    @Test func `the notes are sealed, and not lost while the store is away`() async throws {
        let store = MemoryStore(time: SystemTime())
        let (session, key) = (SessionKey(tag: [2]), DataKey.generate())
        try await store.commit(session, .create(expires: SystemTime().now() + .seconds(60)))
        let mine = notes(store, session, key)
        try await mine.save(Notes(["canary"]))
        #expect(try await mine.get() == Notes(["canary"]))
        #expect(try await notes(store, session, .generate()).get() == nil)
        let stored = try #require(try await store.read(session, .all)["notes"]?.value)
        #expect(!String(decoding: stored, as: UTF8.self).contains("canary"))
        await store.close()
        try await mine.save(Notes(["later"]))
        #expect(try await mine.get() == Notes(["later"]))
    }

    @Test func `the destination of one's own keeps the lines of its logger`() {
        let kept = KeptLines()
        makeLogger(kept).debug("Ready", metadata: ["port": "80"])
        makeLogger(kept).trace("not kept")
        #expect(kept.lines.withLock { $0 } == [#"debug app: Ready ["port": 80]"#])
    }

    @Test func `the greeter greets on its port, at one address`() async throws {
        let greeter = try startGreeter(0)
        func status(_ path: String) async throws -> Int {
            let url = try #require(WebURL("http://127.0.0.1:\(greeter.port)" + path))
            return try await DefaultTransport.shared.send(ClientRequest(.get, url), deadline: .now + .seconds(10))
                .status
        }
        #expect(try await status("/greeting") == 200)
        #expect(try await status("/else") == 404)
        await greeter.stop(grace: .seconds(1))
    }

    @Test func `the guard challenges callers without a token, and those whose token is none`() async throws {
        let accessGuard = try makeGuard(network)
        let nobody = await answer([], accessGuard)
        #expect(nobody.status == 401 && nobody.challenge == #"Bearer realm="ledger""#)
        let forged = await answer(["Bearer abc"], accessGuard)
        #expect(forged.status == 401 && forged.challenge?.contains("invalid_token") == true)
    }
}
