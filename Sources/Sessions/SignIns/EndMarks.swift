package import Basics
package import StorageKit

/// The marks of ended users and provider sessions: an instant up to which sign-ins under an index key are ended.
///
/// A mark refuses a sign-in that is under way while the sign-ins of its user are ended, and one that an old provider
/// session brings later. A mark only grows, whatever order its writers come in.
package struct EndMarks: Sendable {
    /// The field of the instant.
    static let field = "until"

    private let store: any ByteStore
    private let time: any TimeSource
    private let keep: Duration

    /// Marks in a store, each kept for `keep` after its last writer.
    package init(_ store: any ByteStore, _ time: any TimeSource, keep: Duration) {
        self.store = store
        self.time = time
        self.keep = keep
    }

    /// Ends sign-ins under an index key whose user authenticated at this instant or before.
    ///
    /// - Throws: `.full`, `.unavailable`; then the mark may or may not be there.
    func raise(_ key: [UInt8], to instant: Timestamp) async throws(StoreError) {
        let place = Self.place(key)
        let expires = time.now() + keep
        for _ in 0..<64 {
            let snapshot = try await store.read(place, .names([Self.field]))
            let known = snapshot[Self.field]
            let value = EndMark(until: max(instant, known.flatMap(Self.instant) ?? instant)).encoded
            let expected: Expectation = known.map { .revision($0.revision) } ?? .absent
            let writes = [FieldWrite.set(Self.field, value, expected: expected)]
            do {
                try await store.commit(
                    place,
                    snapshot.exists
                        ? .update(expires: max(expires, snapshot.expires ?? expires), writes: writes)
                        : .create(expires: expires, writes: writes))
                return
            } catch {
                guard error.isOvertaken else { throw error }
            }
        }
        throw .unavailable
    }

    /// True if one of the marks, as they were read, ends a sign-in.
    static func isEnded(_ marks: [SessionSnapshot], authenticated: Timestamp) -> Bool {
        for mark in marks {
            guard let stored = mark[field] else { continue }
            // A mark that cannot be read ends the sign-in: the user signs in once more.
            // rule: a sign-in from before the end of its user is ended
            guard let until = instant(stored), until < authenticated else { return true }
        }
        return false
    }

    /// The session that is the mark of an index key.
    static func place(_ key: [UInt8]) -> SessionKey { SessionKey(tag: Array("cloakroom ended ".utf8) + key) }

    private static func instant(_ field: StoredField) -> Timestamp? {
        (try? EndMark(decoding: field.value))?.until
    }
}

/// The stored form of a mark.
struct EndMark: RecordCodable, Equatable {
    static let version: UInt8 = 1

    let until: Timestamp

    init(until: Timestamp) { self.until = until }

    func write(into writer: inout RecordWriter) { writer.write(until) }

    init(from reader: inout RecordReader) throws(RecordError) { until = try reader.timestamp() }
}

extension StoreError {
    /// True if another writer was faster, so that it is worth reading again.
    var isOvertaken: Bool {
        switch self {
        case .conflict, .gone: true
        case .full, .unavailable: false
        }
    }
}
