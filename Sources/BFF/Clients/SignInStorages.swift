import Basics
import DaVinciClient
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// A session of a provider as it is kept, of which others may be the same under another name.
protocol KeptSession: Session, RecordCodable {
    /// Whether another record is of the same session.
    func isSame(as other: Self) -> Bool
}

extension SSOSession: KeptSession {
    func isSame(as other: SSOSession) -> Bool { value == other.value }
}

extension DaVinciSession: KeptSession {}

/// The stores that one call of a client reads and writes; what is in them afterwards is its result.
struct SignInStorages<Kept: KeptSession>: Sendable {
    private let key: StorageKey<Kept>
    private let session: SessionCell<Kept>
    private let tokens = MemoryStorage<TokenSet>()

    /// Stores with the session that is there, as it was encoded.
    init(_ key: StorageKey<Kept>, session: [UInt8]?) {
        self.key = key
        self.session = SessionCell(session.flatMap { try? Kept(decoding: $0) })
    }

    /// The caller with these stores.
    func given(to caller: Caller) -> Caller {
        var caller = caller
        caller.storages[key] = session
        caller.storages[.tokens] = tokens
        return caller
    }

    /// The session that the flow brought, unless it was there before.
    var newSession: [UInt8]? {
        let (before, brought) = session.items
        guard let brought, before.map({ !brought.isSame(as: $0) }) ?? true else { return nil }
        return brought.encoded
    }

    /// The session that was there before, where what is kept of it is new.
    var renewedSession: [UInt8]? {
        let (before, brought) = session.items
        guard let before, let brought, brought.isSame(as: before), brought.encoded != before.encoded else { return nil }
        return brought.encoded
    }

    /// What the flow left behind when it signed the user in.
    var signIn: SignIn? {
        let (before, brought) = session.items
        guard let brought, let tokens = tokens.item else { return nil }
        let isNew = before.map { !brought.isSame(as: $0) } ?? true
        return SignIn(session: brought.encoded, tokens: tokens, sessionIsNew: isNew)
    }
}

/// The session that was there, and beside it the one that a flow brings: it is kept with the flow's outcome or not at all,
/// so whoever undoes a flow does not find it kept.
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
