import Basics
import Cryptography
import Logs
import StorageKit
import TestSupport
import Testing

@testable import Sessions

@Suite("The store of sessions")
struct SessionStoreTests {
    private let bench: SessionBench
    private var store: SessionStore { bench.store }

    init() throws { bench = try SessionBench() }

    @Test func `says which attempt at an edit is stored`() async throws {
        let session = try await bench.session()
        let edited = try await store.edit(session) { _, edit throws(SessionEditError) in
            do throws(StoreError) { try edit.set("user/a", [3]) } catch { throw .store(error) }
        }
        guard case .stored(attempt: 0, let revisions) = edited else {
            Issue.record("\(edited)")
            return
        }
        #expect(Array(revisions.keys) == ["user/a"])
        #expect(try await bench.open(session.credential).record("user/a") == [3])
    }

    @Test func `repeats an edit that another writer overtook, and counts its attempts`() async throws {
        let session = try await bench.session()
        let edits = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { [store] in
                    _ = try await store.edit(session) { fresh, edit throws(SessionEditError) in
                        edits.withLock { $0 += 1 }
                        edit.setRaw("count", [(fresh.snapshot["count"]?.value.first ?? 0) + 1])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await bench.open(session.credential).snapshot["count"]?.value == [8])
        #expect(edits.withLock { $0 } >= 8)
    }

    @Test func `writes nothing of an edit that its body refuses`() async throws {
        let session = try await bench.session()
        let edited = try await store.edit(session) { _, edit throws(SessionEditError) in
            edit.setRaw("user/a", [3])
            throw .refused
        }
        guard case .refused = edited else {
            Issue.record("\(edited)")
            return
        }
        #expect(try await bench.open(session.credential).snapshot["user/a"] == nil)
    }

    @Test func `neither reads nor edits a session that has ended, and knows of its end`() async throws {
        let session = try await bench.session()
        _ = try await store.edit(session) { _, edit throws(SessionEditError) in edit.endsSession = true }
        await #expect(throws: SessionError.ended) { try await store.reopen(session) }
        await #expect(throws: SessionError.ended) {
            try await store.edit(session) { _, edit throws(SessionEditError) in edit.setRaw("user/a", [3]) }
        }
        #expect(try await store.isGone(session.key))
        #expect(bench.known.ends.reason(session.key, isSignedIn: true, at: bench.time.now()) == .ended)
    }

    @Test func `opens nothing at the absolute end, and with no other secret`() async throws {
        let session = try await bench.session()
        #expect(try await store.open(session.credential.withNewSecret(), .all) == nil)
        bench.time.advance(by: .seconds(28_800))
        #expect(try await store.open(session.credential, .all) == nil)
    }

    @Test func `puts everything back when a rotation is reverted`() async throws {
        let session = try await bench.session()
        let (credential, id) = try await bench.rotate(session)
        let former = try await bench.open(session.credential)
        var edit = SessionEdit(former)
        #expect(try store.revert(id, former, &edit) == [.tokens([2], "c")])
        try await store.commit(edit)
        let restored = try await bench.open(session.credential)
        #expect(restored.record("token/a") == [1] && restored.meta?.tokens.map(\.subject) == ["first"])
        #expect(restored.claims.status(at: bench.time.now()) == .current && restored.claims.rotation == nil)
        #expect(try await store.open(credential, .all) == nil)
        #expect(try await store.open(credential, .all, signsOut: true)?.claims.status == .superseded)
        // It is decided once.
        var again = SessionEdit(restored)
        #expect(try store.revert(id, restored, &again) == nil && again.isEmpty)
        #expect(try store.confirm(id, restored, &again) == nil && again.isEmpty)
    }

    @Test func `ends what a rotation replaced when it is confirmed, and does not revert it then`() async throws {
        let session = try await bench.session()
        let (credential, id) = try await bench.rotate(session)
        let new = try await bench.open(credential)
        var edit = SessionEdit(new)
        #expect(try store.confirm(id, new, &edit) == [.tokens([1], "c")])
        try await store.commit(edit)
        let former = try await bench.open(session.credential)
        var late = SessionEdit(former)
        #expect(try store.revert(id, former, &late) == nil && late.isEmpty)
        #expect(try await bench.open(credential).record("token/a") == [2])
    }

    @Test func `tells the outcome of a commit without an answer, and lets it not come late`() async throws {
        let session = try await bench.session()
        var lost = SessionEdit(session)
        lost.setRaw(MetaRecord.field, try #require(session.snapshot[MetaRecord.field]).value + [0])
        let commit = SentCommit(session: session.key, attempts: [lost.writes])
        #expect(commit.outcome(in: try await bench.open(session.credential).snapshot) == .open)
        #expect(try await commit.settle(in: bench.bytes) == .absent)
        await #expect(throws: StoreError.conflict(field: MetaRecord.field)) { try await store.commit(lost) }

        var sent = SessionEdit(try await bench.open(session.credential))
        sent.setRaw("user/a", [3])
        try await store.commit(sent)
        #expect(
            try await SentCommit(session: session.key, attempts: [lost.writes, sent.writes]).settle(in: bench.bytes)
                == .stored(attempt: 1))
        try await bench.bytes.commit(session.key, .end(writes: []))
        #expect(try await commit.settle(in: bench.bytes) == .ended)
    }
}
