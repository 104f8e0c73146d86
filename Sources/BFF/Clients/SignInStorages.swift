package import Basics
import OpenIDConnect
package import Orchestrate
import StorageKit

/// A provider session in its stored form; another record may be of the same session under another name.
package protocol KeptSession: Session, RecordCodable {
    /// True if another record is of the same session.
    func isSame(as other: Self) -> Bool
}

extension KeptSession {
    /// True if two encoded sessions are the same; if one cannot be read, true if both are encoded alike.
    package static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard let one = try? Self(decoding: left), let other = try? Self(decoding: right) else { return left == right }
        return one.isSame(as: other)
    }
}

/// The stores that one call of a client reads and writes; their content after the call is its result.
package struct SignInStorages<Kept: KeptSession>: Sendable {
    private let key: StorageKey<Kept>
    private let session: SessionCell<Kept>
    private let tokens = MemoryStorage<TokenSet>()

    /// Makes stores that contain the existing session, given in its encoded form.
    package init(_ key: StorageKey<Kept>, session: [UInt8]?) {
        self.key = key
        self.session = SessionCell(session.flatMap { try? Kept(decoding: $0) })
    }

    /// The caller with these stores.
    package func given(to caller: Caller) -> Caller {
        var caller = caller
        caller.storages[key] = session
        caller.storages[.tokens] = tokens
        return caller
    }

    /// The session that the flow brought; nil if it existed before.
    package var newSession: [UInt8]? {
        let (before, brought) = session.items
        guard let brought, before.map({ !brought.isSame(as: $0) }) ?? true else { return nil }
        return brought.encoded
    }

    /// The session that existed before, if its stored form has changed; nil otherwise.
    package var renewedSession: [UInt8]? {
        let (before, brought) = session.items
        guard let before, let brought, brought.isSame(as: before), brought.encoded != before.encoded else { return nil }
        return brought.encoded
    }

    /// The session and the tokens that the flow brought; nil if it signed no user in.
    package var signIn: SignIn? {
        guard let brought = session.items.brought, let tokens = tokens.item else { return nil }
        return SignIn(session: brought.encoded, tokens: tokens, sessionIsNew: newSession != nil)
    }
}

/// The existing session, and beside it the session that a flow brings.
///
/// The new session is kept with the flow's outcome or not at all, so code that undoes a flow does not find it in this
/// store.
private final class SessionCell<Kept: Session>: Storage {
    private let state: Locked<(before: Kept?, brought: Kept?)>

    init(_ before: Kept?) {
        state = Locked((before, nil))
    }

    var items: (before: Kept?, brought: Kept?) { state.withLock { $0 } }

    func save(_ item: Kept) async throws(StorageError) { state.withLock { $0.brought = item } }
    func get() async throws(StorageError) -> Kept? { items.before }
    func delete() async throws(StorageError) { state.withLock { $0 = (nil, nil) } }
}
