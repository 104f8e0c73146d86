import Basics
import Cryptography
import Logs
import StorageKit
import TestSupport
import Testing

@testable import Sessions

/// A store of sessions in memory, on a clock that is moved by hand.
struct SessionBench {
    let time = ManualTime()
    let log = RecordedLog()
    let bytes: MemoryStore
    let known: KnownSessions
    let store: SessionStore

    init(deviceCookie: Duration? = nil) throws {
        bytes = MemoryStore(time: time)
        known = KnownSessions(anonymousLimit: 100, time)
        let times = SessionTimes(
            idle: .seconds(1800), absolute: .seconds(28_800), anonymous: .seconds(600), supersededTicket: .seconds(10),
            replayTicket: .seconds(30), storeRetries: [.zero], deviceCookie: deviceCookie)
        let keys = try ServerKeys([try ServerKey(id: "k1", key: SecureRandom.bytes(32))])
        store = SessionStore(
            bytes, keys: keys, encryptor: nil, times: times, time: time, known: known, logger: log.logger())
    }

    /// A new session with a record of tokens, opened as a whole.
    func session(isSignedIn: Bool = true) async throws -> OpenedSession {
        var (edit, credential, meta) = try store.tickets.newSession(isSignedIn: isSignedIn)
        meta.tokens = [entry("first")]
        try edit.set(MetaRecord.field, meta.encoded)
        try edit.set("token/a", [1])
        try await store.create(edit)
        return try await open(credential)
    }

    func entry(_ subject: String) -> MetaRecord.TokenEntry {
        MetaRecord.TokenEntry(
            field: "token/a", client: "c", account: "", sessionField: "session/a", issuer: "i", subject: subject,
            signedInAt: time.now(), epoch: 1)
    }

    func open(_ credential: SessionCredential) async throws -> OpenedSession {
        try #require(try await store.open(credential, .all))
    }

    /// Replaces the cookie and the tokens, as a sign-in does.
    func rotate(_ session: OpenedSession) async throws -> (SessionCredential, id: String) {
        var edit = SessionEdit(session)
        var meta = try #require(session.meta)
        meta.epoch += 1
        meta.put(entry("second"))
        var (credential, id, record) = try store.tickets.rotate(session, meta, &edit)
        try edit.set("token/a", [2])
        try edit.set(MetaRecord.field, meta.encoded)
        let now = record.take(
            [.tokens([1], "c"), .tokens([9], "c")], edit, session, flow: nil, among: [MetaRecord.field, "token/"])
        #expect(now == [.tokens([9], "c")], "the tokens that a revert puts back are not ended yet")
        try edit.set(RotationRecord.field(id), record.encoded)
        try await store.commit(edit)
        return (credential, id)
    }
}
