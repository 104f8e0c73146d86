public import Basics

/// The value of one field as a store holds it.
public struct StoredField: Sendable, Equatable {
    /// The stored bytes, normally sealed.
    public let value: [UInt8]
    /// A number that changes with every write of the field and never repeats within a session, even after a deletion.
    public let revision: UInt64

    /// Makes a value with its revision.
    public init(value: [UInt8], revision: UInt64) {
        self.value = value
        self.revision = revision
    }
}

/// The fields of a session to read.
public enum FieldSelection: Sendable, Equatable {
    /// Every field of the session.
    case all
    /// The fields of these names; a field that does not exist is missing from the answer.
    case names([String])
}

/// The stored state of one session at one instant.
public struct SessionSnapshot: Sendable, Equatable {
    /// One field with its name.
    public struct Entry: Sendable, Equatable {
        /// The name of the field.
        public let name: String
        /// Its value and revision.
        public let field: StoredField

        /// Makes an entry from a name and its field.
        public init(name: String, field: StoredField) {
            self.name = name
            self.field = field
        }
    }

    /// The answer for a session that is unknown, expired or ended.
    public static let absent = SessionSnapshot(exists: false, entries: [], expires: nil)

    /// False when the session is unknown, expired or ended; then there are no fields.
    public let exists: Bool
    /// The requested fields that exist, each once, in no particular order.
    ///
    /// A list rather than a dictionary: a request reads three or four fields, and hashing them would cost more than the
    /// search.
    public let entries: [Entry]
    /// The expiry time of the session; nil when it does not exist.
    public let expires: Timestamp?

    /// Makes a snapshot, for back ends.
    public init(exists: Bool, entries: [Entry], expires: Timestamp?) {
        self.exists = exists
        self.entries = entries
        self.expires = expires
    }

    /// True if both have the same fields, in any order.
    public static func == (one: SessionSnapshot, other: SessionSnapshot) -> Bool {
        one.exists == other.exists && one.expires == other.expires && one.entries.count == other.entries.count
            && one.entries.allSatisfy(other.entries.contains)
    }

    /// The field of this name; nil if it does not exist or was not requested.
    public subscript(name: String) -> StoredField? {
        for entry in entries where entry.name == name { return entry.field }
        return nil
    }

    /// The fields by name.
    public var fields: [String: StoredField] {
        Dictionary(entries.map { ($0.name, $0.field) }, uniquingKeysWith: { first, _ in first })
    }
}
