import Basics
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// The stores that one call of a client reads and writes; what is in them afterwards is its result.
struct CallerCells: Sendable {
    private let session: MemoryCell<SSOSession>
    private let tokens = MemoryCell<TokenSet>(nil)
    private let unended = MemoryCell<SSOSession>(nil)
    private let before: SSOSession?

    init(_ who: SignInCaller, sessionOnly: Bool = false) {
        before = who.session.flatMap { SSOSession(decoding: $0) }
        session = MemoryCell(before)
    }

    func caller(_ who: SignInCaller) -> Caller {
        var storages = CallerStorages()
        storages[.session] = session
        storages[.tokens] = tokens
        storages[.unended] = unended
        return Caller(
            languages: who.languages, browser: who.browser, deadline: who.deadline, requestID: who.requestID,
            storages: storages)
    }

    /// A session that the flow made and that no tokens came of: still kept, or given up and not ended.
    var orphan: [UInt8]? {
        if let unended = unended.item { return unended.encode() }
        guard let session = session.item, session.value != before?.value else { return nil }
        return session.encode()
    }

    /// What the flow left behind when it signed the user in.
    var signIn: SignIn? {
        guard let session = session.item, let tokens = tokens.item else { return nil }
        return SignIn(session: session.encode(), tokens: tokens, sessionIsNew: session.value != before?.value)
    }
}

/// A store for the length of one call.
private final class MemoryCell<Item: Sendable>: Storage {
    private let state: Locked<Item?>

    init(_ item: Item?) {
        state = Locked(item)
    }

    var item: Item? { state.withLock { $0 } }

    func save(_ item: Item) async throws(StorageError) { state.withLock { $0 = item } }
    func get() async throws(StorageError) -> Item? { item }
    func delete() async throws(StorageError) { state.withLock { $0 = nil } }
}
