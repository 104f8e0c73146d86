public import Basics

/// What must hold for a field before it is written.
public enum Expectation: Sendable, Equatable {
    /// Whatever is there is overwritten.
    case any
    /// The field does not exist; an expired one does not.
    case absent
    /// The field exists with exactly this revision.
    case revision(UInt64)
}

/// One change of one field, with its condition.
public struct FieldWrite: Sendable, Equatable {
    /// What happens to the field.
    public enum Change: Sendable, Equatable {
        /// The field gets this value and a new revision.
        ///
        /// `expires` ends the field before its session does; nil lets it live as long as the session.
        case set([UInt8], expires: Timestamp?)
        /// The field goes; that it does not exist is no error.
        case delete
    }

    /// The name of the field, 1 to 65,535 bytes.
    public var field: String
    /// What happens to it.
    public var change: Change
    /// What must hold before.
    public var expected: Expectation

    /// A change of one field.
    public init(field: String, change: Change, expected: Expectation) {
        self.field = field
        self.change = change
        self.expected = expected
    }

    /// Writes a value.
    public static func set(
        _ field: String, _ value: [UInt8], expires: Timestamp? = nil, expected: Expectation = .any
    ) -> FieldWrite {
        FieldWrite(field: field, change: .set(value, expires: expires), expected: expected)
    }

    /// Deletes a field.
    public static func delete(_ field: String, expected: Expectation = .any) -> FieldWrite {
        FieldWrite(field: field, change: .delete, expected: expected)
    }
}

/// Changes of one session that happen together or not at all.
///
/// All expectations are compared with the state before the commit. Of two writes of one field the last decides.
public struct SessionCommit: Sendable, Equatable {
    /// Whether the session must be there.
    public enum Mode: Sendable, Equatable {
        /// The session must not exist: `.conflict(field: "")` when it does, `.gone` when it has ended.
        case create
        /// The session must exist: `.gone` when it does not.
        case update
        /// The session must exist, as for `update`, and ends with all its fields. The store remembers for some minutes
        /// that it ended: a commit that comes later gets `.gone`.
        case end
    }

    /// Whether the session must be there.
    public let mode: Mode
    /// The new end of the whole session; nil keeps the one it has, and is not allowed for `create`.
    ///
    /// It means nothing for `end`.
    public let expires: Timestamp?
    /// The changes of fields; empty to create an empty session or to extend one.
    ///
    /// Of an `end` their expectations alone count.
    public let writes: [FieldWrite]

    /// Makes a commit.
    ///
    /// - Precondition: A session that is created has an end.
    public init(mode: Mode, expires: Timestamp?, writes: [FieldWrite]) {
        precondition(mode != .create || expires != nil, "a new session needs an end")
        self.mode = mode
        self.expires = expires
        self.writes = writes
    }

    /// The writes without those that a later write of the same field makes void.
    package var decidingWrites: [FieldWrite] {
        func isVoid(_ index: Int) -> Bool {
            writes[(index + 1)...].contains { $0.field == writes[index].field }
        }
        guard writes.indices.contains(where: isVoid) else { return writes }
        return writes.indices.filter { !isVoid($0) }.map { writes[$0] }
    }

    /// Makes a new session.
    public static func create(expires: Timestamp, writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .create, expires: expires, writes: writes)
    }

    /// Changes a session that exists.
    public static func update(expires: Timestamp? = nil, writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .update, expires: expires, writes: writes)
    }

    /// Ends a session that exists if all these expectations hold.
    public static func end(writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .end, expires: nil, writes: writes)
    }
}
