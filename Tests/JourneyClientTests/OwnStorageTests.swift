import Basics
import HTTPCore
import JSON
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit
import TestSupport
import Testing

/// A storage of one's own as the page of the SDK has it, for whatever is `Codable`; it keeps JSON.
private final class OwnStorage<Item: Codable & Sendable>: Storage {
    let text = Locked<[UInt8]?>(nil)

    func save(_ item: Item) async throws(StorageError) {
        guard let bytes = try? JSONCodec().encode(item) else { throw .malformed }
        text.withLock { $0 = bytes }
    }

    func get() async throws(StorageError) -> Item? {
        guard let bytes = text.withLock({ $0 }) else { return nil }
        guard let item = try? JSONCodec().decode(Item.self, from: bytes) else { throw .malformed }
        return item
    }

    func delete() async throws(StorageError) { text.withLock { $0 = nil } }
}

@Suite("A storage of one's own for what is Codable")
struct OwnStorageTests {
    private let am: ScriptedAM
    private let session = OwnStorage<SSOSession>()
    private let tokens = OwnStorage<TokenSet>()

    init() throws { am = try ScriptedAM() }

    /// A client as it is made anew by each process.
    private func bound() throws -> BoundJourney {
        try am.journey { config in
            config.module(JourneyModules.session) { $0.storage = session }
            config.oidc { oidc in
                oidc.clientID = "bff"
                oidc.authentication = .basic(Secret("s3cret"))
                oidc.scopes = ["openid", "profile"]
                oidc.redirectURI = "https://app.example.com/bff/code"
                oidc.storage = tokens
            }
        }.bound()
    }

    @Test func `keeps session and tokens, which the next process reads`() async throws {
        am.steps(success("s1"))
        _ = try await bound().start("Login")
        let kept = try #require(try await bound().session())
        #expect(kept.value.reveal() == "s1" && kept.realm == "/alpha")
        let user = try #require(try await bound().user())
        #expect(try await user.token().accessToken.reveal() == "at-1")
        #expect(try await tokens.get() == user.token())
        #expect(await user.logout().isComplete)
        #expect(session.text.withLock { $0 } == nil && tokens.text.withLock { $0 } == nil)
    }

    @Test(arguments: ["1", #""*""#, #""""#, #""AgE""#, #""/w""#])
    func `refuses what is no record`(text: String) async throws {
        session.text.withLock { $0 = Array(text.utf8) }
        await #expect(throws: StorageError.malformed) { try await bound().session() }
    }

    @Test func `and the storage in a file keep a session in one form each, and the file its own`() async throws {
        let folder = try TemporaryFolder()
        let file = FileStorage<SSOSession>(account: "session", in: folder.path)
        let mine = SSOSession(value: Secret("s1"), realm: "/alpha", created: Timestamp(seconds: 1))
        try await file.save(mine)
        try await session.save(mine)
        #expect(try await file.get() == mine)
        #expect(try await session.get() == mine)
        let line = String(decoding: session.text.withLock { $0 } ?? [], as: UTF8.self)
        #expect(line == "\"" + Base64URL.encode(mine.encoded) + "\"")
    }
}
