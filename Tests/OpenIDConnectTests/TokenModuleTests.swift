import Basics
import HTTPCore
import JSON
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// A session that the small product of these tests hands out.
private struct ProviderSession: Session {
    let value: Secret<String>
}

/// A product whose only answer is a success.
private let product = Module.of(name: "product") { setup in
    setup.start { _, request in request.url("https://am.example.com/step") }
    setup.transform { _, response in
        let session = try response.json()["session"]?.string ?? ""
        return .success(SuccessNode(input: [:], session: ProviderSession(value: Secret(session))))
    }
}

/// A later module that spoils the end of a flow.
private let spoiler = Module.of(name: "spoiler") { setup in
    setup.success { _, _ in throw CancellationError() }
}

/// A store that takes nothing.
private struct FullStorage: Storage {
    func save(_ item: TokenSet) async throws(StorageError) { throw .full }
    func get() async throws(StorageError) -> TokenSet? { nil }
    func delete() async throws(StorageError) {}
}

@Suite("The token side of a module")
struct TokenModuleTests {
    typealias Provider = ScriptedProvider

    let provider = Provider()
    let storage = MemoryStorage<TokenSet>()

    func run(
        session: String = "s1", storage: (any Storage<TokenSet>)?, more: (inout WorkflowConfig) -> Void = { _ in }
    ) async throws -> Node {
        try await bound(session: session, storage: storage, more: more).start().node
    }

    func bound(
        session: String = "s1", storage: (any Storage<TokenSet>)?, more: (inout WorkflowConfig) -> Void = { _ in }
    ) async throws -> BoundWorkflow {
        provider.network.on(.get, "https://am.example.com/step", answering: .json("{\"session\":\"\(session)\"}"))
        let client = try provider.client()
        let workflow = try Workflow.createWorkflow { config in
            config.transport = provider.network
            config.time = provider.time
            config.module(product)
            config.module(
                Module.of(name: "tokens") { setup in
                    setup.keepsTokens(of: client) { [provider] _, _ in try await provider.tokens(of: client) }
                })
            more(&config)
        }
        var storages = CallerStorages()
        storages[.tokens] = storage
        let caller = Caller(deadline: Provider.soon, storages: storages)
        return workflow.bound(to: caller)
    }

    func cause(_ node: Node) throws -> EngineError {
        guard case .failure(let failure) = node else {
            throw OpenIDError.configuration("not a failure: \(node)")
        }
        return failure.cause
    }

    @Test("obtains tokens when a flow signs somebody in and saves them")
    func success() async throws {
        guard case .success = try await run(storage: storage) else {
            Issue.record("not a success")
            return
        }
        #expect(try await storage.get()?.accessToken.reveal() == "at-1")
    }

    @Test("leaves a success without a session alone")
    func noSession() async throws {
        guard case .success = try await run(session: "", storage: storage) else {
            Issue.record("not a success")
            return
        }
        #expect(provider.sent("/authorize").isEmpty)
        #expect(try await storage.get() == nil)
    }

    @Test("asks nothing of the provider when there is no store for the tokens")
    func noStorage() async throws {
        let cause = try cause(try await run(storage: nil))
        guard case .moduleFailed(_, let error as OpenIDError) = cause else {
            Issue.record("\(cause)")
            return
        }
        #expect(error == .configuration("the caller has no token storage"))
        #expect(provider.sent("/authorize").isEmpty)
    }

    @Test("makes the client's error the cause of a failure and keeps the tokens that were there")
    func failure() async throws {
        let old = try await provider.tokens()
        try await storage.save(old)
        provider.set { $0.authorize = { .redirect(to: Provider.redirectURI + "?error=consent_required&state=\($0)") } }
        guard case .moduleFailed(_, let error as OpenIDError) = try cause(try await run(storage: storage)) else {
            Issue.record("another cause")
            return
        }
        #expect(error == .consentRequired)
        #expect(try await storage.get() == old && provider.sent("/revoke").isEmpty)
    }

    @Test("revokes tokens that could not be saved")
    func unsaved() async throws {
        guard case .moduleFailed(_, let error as StorageError) = try cause(try await run(storage: FullStorage())) else {
            Issue.record("another cause")
            return
        }
        #expect(error == .full)
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
    }

    @Test("takes a subject of other bytes for another user, however alike they look")
    func lookAlike() async throws {
        for subject in ["\u{E9}lise", "e\u{301}lise"] {
            provider.set { $0.claims = { $0["sub"] = .string(subject) } }
            _ = try await run(storage: storage)
        }
        #expect(try await storage.get()?.accessToken.reveal() == "at-2")
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
    }

    @Test("revokes the tokens of another user that new ones replace, and leaves those of the same user to their end")
    func replaced() async throws {
        try await storage.save(try await provider.tokens())
        _ = try await run(storage: storage)
        #expect(try await storage.get()?.accessToken.reveal() == "at-2")
        #expect(provider.sent("/revoke").isEmpty)
        provider.set { $0.claims = { $0["sub"] = "alice" } }
        _ = try await run(storage: storage)
        #expect(try await storage.get()?.accessToken.reveal() == "at-3")
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-2", "at-2"])
    }

    @Test("takes back its tokens when a later module fails, and no others")
    func abandoned() async throws {
        _ = try cause(try await run(storage: storage) { $0.module(spoiler, priority: 20) })
        #expect(try await storage.get() == nil)
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
        let old = try await provider.tokens()
        try await storage.save(old)
        provider.network.forgetRequests()
        _ = try cause(try await run(storage: storage) { $0.module(spoiler, priority: 1) })
        #expect(try await storage.get() == old)
        #expect(provider.sent("/revoke").isEmpty)
    }

    @Test("forgets the tokens at sign-off and revokes them, and says what became of them")
    func signOff() async throws {
        _ = try await run(storage: storage)
        let bound = try await bound(storage: storage)
        #expect(await fault(of: bound) == nil)
        #expect(try await storage.get() == nil)
        #expect(provider.sent("/revoke").map { $0.form?.single("token") } == ["rt-1", "at-1"])
        #expect(await fault(of: bound) == .noTokens)
        try await storage.save(try await provider.tokens())
        provider.network.on(.post, Provider.base + "/revoke", failing: .notReached(.connect))
        #expect(await fault(of: bound) == .notRevoked(.notReached))
        #expect(try await storage.get() == nil)
    }

    private func fault(of bound: BoundWorkflow) async -> TokenSignOffError? {
        for case .moduleFailed(.signOff, let error as TokenSignOffError) in await bound.signOffOutcome().failures {
            return error
        }
        return nil
    }
}
