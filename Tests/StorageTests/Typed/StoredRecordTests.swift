import Basics
import StorageKit
import TestSupport
import Testing

/// A record with one text in it.
struct Note: RecordCodable, Equatable {
    var text: String

    init(_ text: String) { self.text = text }

    static let version: UInt8 = 1

    func write(into writer: inout RecordWriter) { writer.write(text) }

    init(from reader: inout RecordReader) throws(RecordError) { text = try reader.string() }
}

@Suite("A stored record")
struct StoredRecordTests {
    private let clock = ManualTime()
    private let alarms = Locked<[UnreadableRecordError]>([])
    private let key = DataKey.generate()

    private func record(
        _ store: any ByteStore, _ session: SessionKey, field: String = "note", encryptor: (any Encryptor)? = nil,
        expires: Timestamp? = nil
    ) -> StoredRecord<Note> {
        StoredRecord(
            at: RecordAddress(session: session, field: field), in: store, encryptor: encryptor ?? key,
            expires: expires
        ) { [alarms] _, alarm in alarms.withLock { $0.append(alarm) } }
    }

    private func withSession(_ body: (MemoryStore, SessionKey) async throws -> Void) async throws {
        let store = MemoryStore(time: clock)
        let session = SessionKey.unique()
        try await store.commit(session, .create(expires: clock.after(.seconds(60))))
        try await body(store, session)
    }

    @Test func `is saved, read and deleted`() async throws {
        try await withSession { store, session in
            let record = record(store, session)
            #expect(try await record.get() == nil)
            try await record.save(Note("one"))
            try await record.save(Note("two"))
            #expect(try await record.get() == Note("two"))
            try await record.delete()
            try await record.delete()
            #expect(try await record.get() == nil)
            #expect(alarms.withLock { $0.isEmpty })
        }
    }

    @Test func `is sealed in the store, and plain only when that was chosen`() async throws {
        try await withSession { store, session in
            try await record(store, session).save(Note("canary"))
            try await record(store, session, field: "plain", encryptor: NoEncryptor()).save(Note("canary"))
            let fields = try await store.read(session, .all).fields.mapValues(\.value)
            func shows(_ field: String) -> Bool {
                let bytes = fields[field] ?? []
                return bytes.indices.contains { bytes[$0...].starts(with: "canary".utf8) }
            }
            #expect(!shows("note") && shows("plain"))
            #expect(try await record(store, session, field: "plain", encryptor: NoEncryptor()).get() == Note("canary"))
        }
    }

    @Test func `is written once by those who read the same revision`() async throws {
        try await withSession { store, session in
            let record = record(store, session)
            let first = try await record.save(Note("one"), expected: .absent)
            #expect(try #require(try await record.current()).revision == first)
            let second = try await record.save(Note("two"), expected: .revision(first))
            #expect(second > first)
            await #expect(throws: StorageError.conflict) {
                try await record.save(Note("x"), expected: .revision(first))
            }
            await #expect(throws: StorageError.conflict) { try await record.save(Note("x"), expected: .absent) }
            #expect(try await record.get() == Note("two"))
        }
    }

    @Test func `ends with its session, or before`() async throws {
        try await withSession { store, session in
            let record = record(store, session, expires: clock.after(.seconds(10)))
            try await record.save(Note("one"))
            clock.advance(by: .seconds(10))
            #expect(try await record.get() == nil)
            clock.advance(by: .seconds(50))
            #expect(try await record.get() == nil)
            await #expect(throws: StorageError.gone) { try await record.save(Note("two")) }
            try await record.delete()
        }
    }

    @Test func `that is not what we wrote counts as absent, with an alarm`() async throws {
        try await withSession { store, session in
            let record = record(store, session)
            try await record.save(Note("one"))
            let good = try #require(try await store.read(session, .all)["note"]?.value)
            let other = SessionKey.unique()
            let broken: [([UInt8], UnreadableRecordError)] = [
                ([], .sealed(.notAuthentic)),
                (Array(good.dropLast()), .sealed(.notAuthentic)),
                ([2] + good.dropFirst(), .sealed(.unsupportedVersion(2))),
                (
                    try key.encrypt(Note("x").encoded, at: RecordAddress(session: session, field: "other")),
                    .sealed(.notAuthentic)
                ),
                (
                    try key.encrypt(Note("x").encoded, at: RecordAddress(session: other, field: "note")),
                    .sealed(.notAuthentic)
                ),
                (
                    try DataKey.generate().encrypt(
                        Note("x").encoded, at: RecordAddress(session: session, field: "note")),
                    .sealed(.unknownKey)
                ),
                (try key.encrypt([1, 9], at: RecordAddress(session: session, field: "note")), .form(.malformed)),
                (try key.encrypt([0, 9], at: RecordAddress(session: session, field: "note")), .form(.older(0))),
                (try key.encrypt([9, 9], at: RecordAddress(session: session, field: "note")), .form(.newer(9))),
            ]
            for (bytes, alarm) in broken {
                try await store.commit(session, .update(writes: [.set("note", bytes)]))
                #expect(try await record.get() == nil)
                #expect(alarms.withLock { $0.removeLast() } == alarm)
            }
            try await record.save(Note("again"))
            #expect(try await record.get() == Note("again"))
        }
    }

    @Test func `reports a store that is down as such, never as absent`() async throws {
        try await withSession { store, session in
            let record = record(store, session)
            try await record.save(Note("one"))
            await store.close()
            await #expect(throws: StorageError.unavailable) { try await record.get() }
            await #expect(throws: StorageError.unavailable) { try await record.save(Note("two")) }
            await #expect(throws: StorageError.unavailable) { try await record.delete() }
        }
    }

    @Test func `says that there is no room`() async throws {
        try await withSession { store, session in
            let note = Note(String(repeating: "x", count: 2 << 20))
            await #expect(throws: StorageError.full) { try await record(store, session).save(note) }
        }
    }
}
