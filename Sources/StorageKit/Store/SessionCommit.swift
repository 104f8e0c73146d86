public import Basics

/// The condition on a field's current state for a write (compare-and-set).
public enum Expectation: Sendable, Equatable {
    /// No condition: any existing value is overwritten.
    case any
    /// The field does not exist; an expired field counts as absent.
    case absent
    /// The field exists with exactly this revision.
    case revision(UInt64)
}

/// One change of one field, with its condition.
public struct FieldWrite: Sendable, Equatable {
    /// The kinds of change to a field.
    public enum Change: Sendable, Equatable {
        /// The field gets this value and a new revision.
        ///
        /// `expires` ends the field before its session does; nil lets it live as long as the session.
        case set([UInt8], expires: Timestamp?)
        /// The field is deleted; a missing field is no error.
        case delete
    }

    /// The name of the field, 1 to 65,535 bytes.
    public var field: String
    /// The change to make.
    public var change: Change
    /// The condition that must hold before the change.
    public var expected: Expectation

    /// Makes a change of one field.
    public init(field: String, change: Change, expected: Expectation) {
        self.field = field
        self.change = change
        self.expected = expected
    }

    /// Makes a write that sets a value.
    public static func set(
        _ field: String, _ value: [UInt8], expires: Timestamp? = nil, expected: Expectation = .any
    ) -> FieldWrite {
        FieldWrite(field: field, change: .set(value, expires: expires), expected: expected)
    }

    /// Makes a write that deletes a field.
    public static func delete(_ field: String, expected: Expectation = .any) -> FieldWrite {
        FieldWrite(field: field, change: .delete, expected: expected)
    }
}

/// Changes of one session that are applied together or not at all.
///
/// All expectations are compared with the state before the commit. Of two writes of one field, the last one counts.
public struct SessionCommit: Sendable, Equatable {
    /// The condition on the session's existence, and whether the commit ends it.
    public enum Mode: Sendable, Equatable {
        /// The session must not exist: `.conflict(field: "")` when it does, `.gone` when it has ended.
        case create
        /// The session must exist: `.gone` when it does not.
        case update
        /// The session must exist, as for `update`, and ends with all its fields. The store remembers the end for some
        /// minutes: a later commit gets `.gone`.
        case end
    }

    /// The condition on the session's existence, and whether the commit ends it.
    public let mode: Mode
    /// The new expiry time of the whole session; nil keeps the current one, and is not allowed for `create`.
    ///
    /// Ignored for `end`.
    public let expires: Timestamp?
    /// The changes of fields; empty to create an empty session or to extend one.
    ///
    /// For `end`, only their expectations count.
    public let writes: [FieldWrite]

    /// Makes a commit.
    ///
    /// - Precondition: A commit that creates a session has an expiry time.
    public init(mode: Mode, expires: Timestamp?, writes: [FieldWrite]) {
        precondition(mode != .create || expires != nil, "a new session needs an end")
        self.mode = mode
        self.expires = expires
        self.writes = writes
    }

    /// The writes without those that a later write of the same field overrides.
    package var decidingWrites: [FieldWrite] {
        func isOverridden(_ index: Int) -> Bool {
            writes[(index + 1)...].contains { $0.field == writes[index].field }
        }
        guard writes.indices.contains(where: isOverridden) else { return writes }
        return writes.indices.filter { !isOverridden($0) }.map { writes[$0] }
    }

    /// Makes a commit that creates a session.
    public static func create(expires: Timestamp, writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .create, expires: expires, writes: writes)
    }

    /// Makes a commit that changes an existing session.
    public static func update(expires: Timestamp? = nil, writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .update, expires: expires, writes: writes)
    }

    /// Makes a commit that ends an existing session if all these expectations hold.
    public static func end(writes: [FieldWrite] = []) -> SessionCommit {
        SessionCommit(mode: .end, expires: nil, writes: writes)
    }
}
