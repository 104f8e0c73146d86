import Basics
import JourneyClient
import OpenIDConnect
import Orchestrate
import StorageKit

/// The stores that one call of a client reads and writes; what is in them afterwards is its result.
struct CallerCells: Sendable {
    private let session: MemoryStorage<SSOSession>
    private let tokens = MemoryStorage<TokenSet>()
    private let unended = MemoryStorage<SSOSession>()
    private let before: SSOSession?

    init(_ who: SignInCaller, sessionOnly: Bool = false) {
        before = who.session.flatMap { try? SSOSession(decoding: $0) }
        session = MemoryStorage(before)
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
        if let unended = unended.item { return unended.encoded }
        guard let session = session.item, session.value != before?.value else { return nil }
        return session.encoded
    }

    /// What the flow left behind when it signed the user in.
    var signIn: SignIn? {
        guard let session = session.item, let tokens = tokens.item else { return nil }
        return SignIn(session: session.encoded, tokens: tokens, sessionIsNew: session.value != before?.value)
    }
}
