import Basics
import OpenIDConnect
import Sessions
import StorageKit

extension RevocationQueue {
    /// Puts items into the queue: see `add(_:unless:)`; each client knows the part of a provider session that ending
    /// it needs.
    ///
    /// - Throws: `.full`, `.unavailable`; then nothing or an unknown part was written.
    @discardableResult
    func add(
        _ revocable: [Revocable], of clients: [String: ClientDefinition] = [:],
        unless condition: HeldRevocation.Condition? = nil
    ) async throws(StoreError) -> [Job] {
        try await add(revocable.map { $0.entry(clients[$0.client]?.flows) }, unless: condition)
    }

    /// The job of a held revocation, by the place that a flow remembers.
    func job(_ item: Revocable, _ held: UnconfirmedSignIn.Held) -> Job {
        Job(item: item, place: held.place, name: held.name)
    }
}

extension RevocationQueue.Job {
    /// The place of the job in the queue, as a flow remembers it.
    var held: UnconfirmedSignIn.Held { UnconfirmedSignIn.Held(place: place, name: name) }
}

extension Revocable {
    /// True for tokens that a server of a later version has stored.
    var isOfLaterVersion: Bool {
        guard case .tokens(let bytes, _) = self, let version = bytes.first else { return false }
        return version > TokenSet.version
    }

    /// The item with the values that the queue cannot read from it.
    func entry(_ client: (any FlowClient)?) -> RevocationQueue.Entry {
        RevocationQueue.Entry(item: self, least: reduced(client), end: end)
    }

    /// The end of the tokens; nil if they do not name one, and for a provider session.
    private var end: Timestamp? {
        guard case .tokens(let bytes, _) = self else { return nil }
        return (try? TokenSet(decoding: bytes))?.end
    }

    /// The part that ending it needs: of tokens, no ID token and no user data; of a provider session, the part that its
    /// client picks.
    ///
    /// - Parameter client: The client that can end it; nil if the client is gone from the settings.
    /// - Returns: The item to store until it is ended.
    func reduced(_ client: (any FlowClient)?) -> Revocable {
        if case .session(let bytes, let name) = self { return .session(client?.least(toEnd: bytes) ?? bytes, name) }
        guard case .tokens(let bytes, let client) = self, let tokens = try? TokenSet(decoding: bytes) else {
            return self
        }
        let least = TokenSet(
            accessToken: tokens.accessToken, tokenType: nil, refreshToken: tokens.refreshToken, scopes: [],
            issuedAt: tokens.issuedAt, expiresAt: tokens.expiresAt, issuer: "", clientID: "", subject: "")
        return .tokens(least.encoded, client)
    }
}
