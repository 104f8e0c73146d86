internal import Basics
internal import Cryptography

/// The live codes, grants and tokens.
///
/// Refuses by RFC 6749 section 5.2.
/// Refuses by RFC 7636 section 4.6.
/// Refuses by RFC 9700 section 4.14.2.
final class GrantRegistry: Sendable {
    private struct State {
        var codes = BoundedTable<CodeRecord>(capacity: 10_000)
        /// The grants that have not ended; when there are too many, those that were used longest ago end.
        var grants: BoundedTable<IssuedGrant>
        var tokens: BoundedTable<TokenRecord>

        init(capacity: Int) {
            grants = BoundedTable(capacity: capacity)
            tokens = BoundedTable(capacity: 2 * capacity)
        }

        /// The record of a token whose grant has not ended.
        func record(_ token: String) -> TokenRecord? {
            tokens[token].flatMap { grants[$0.grant.id] == nil ? nil : $0 }
        }

        mutating func end(_ grant: String) {
            grants[grant] = nil
            tokens.removeAll { $0.grant.id == grant }
        }
    }

    private let grace: Duration
    private let dialect: SimulatedDialect
    private let journal: Journal
    private let state: Locked<State>

    /// Creates an empty registry.
    ///
    /// - Parameters:
    ///   - settings: The dialect, and the time for which a used refresh token is accepted again.
    ///   - journal: Receives the codes and tokens, which are secrets.
    ///   - capacity: The number of grants; of tokens there may be twice as many.
    init(_ settings: SimulatorSettings, journal: Journal, capacity: Int = 50_000) {
        state = Locked(State(capacity: capacity))
        grace = settings.refreshGrace
        dialect = settings.dialect
        self.journal = journal
    }

    func add(_ code: CodeRecord) -> String {
        let text = dialect == .openam ? Identifier.tracking() : Identifier.random(20)
        journal.note(secret: text)
        state.withLock { $0.codes[text] = code }
        return text
    }

    /// Exchanges a code, once; a second attempt ends the grant of the first (RFC 6749 section 4.1.2).
    ///
    /// OpenAM keeps a code after a failed exchange, has an error of its own for a wrong redirect URI, and accepts a
    /// code without its verifier.
    func redeem(
        _ code: String, clientID: String, redirectURI: String, verifier: String?, now: Timestamp
    ) throws(OAuthError) -> IssuedGrant {
        try state.withLock { (state) throws(OAuthError) -> IssuedGrant in
            guard var record = state.codes[code] else { throw .invalidGrant }
            guard record.grant.clientID == clientID else { throw .invalidGrant }
            if record.used {
                state.end(record.grant.id)
                throw .invalidGrant
            }
            let isProven = verifier.map { Base64URL.encode(Digest.hash(utf8: $0)) == record.challenge }
            if dialect == .openam {
                guard record.redirectURI == redirectURI else { throw .redirectMismatch }
                guard now < record.expires, isProven ?? true || record.challenge == nil else { throw .invalidGrant }
            }
            // A wrong verifier or address also consumes the code, because another party than its client may have it.
            record.used = true
            state.codes[code] = record
            guard now < record.expires, record.redirectURI == redirectURI, dialect == .openam || isProven == true else {
                throw .invalidGrant
            }
            state.grants[record.grant.id] = record.grant
            return record.grant
        }
    }

    /// Records a token that this registry does not store but that must never reach a browser either.
    func note(_ token: String) {
        journal.note(secret: token)
    }

    /// Stores a grant that was made without a code.
    func add(_ grant: IssuedGrant) {
        state.withLock { $0.grants[grant.id] = grant }
    }

    func add(_ token: String, _ record: TokenRecord) {
        journal.note(secret: token)
        state.withLock { state in
            // The grant may have ended while the token was being signed.
            guard state.grants[record.grant.id] != nil else { return }
            if state.tokens.isFull { state.tokens.removeAll { $0.expires <= record.issued } }
            state.tokens[token] = record
        }
    }

    /// Uses a refresh token; with rotation it is consumed, and its reuse ends the grant.
    func refresh(
        _ token: String, scopes: [String]?, client: SimulatedClient, now: Timestamp
    ) throws(OAuthError) -> TokenRecord {
        try state.withLock { (state) throws(OAuthError) -> TokenRecord in
            guard var record = state.record(token), record.kind == .refresh else { throw .invalidGrant }
            guard record.grant.clientID == client.id else {
                throw dialect == .openam ? .anotherClient : .invalidGrant
            }
            if let used = record.used, now >= used + grace {
                // OpenAM only refuses the token.
                if dialect == .ping { state.end(record.grant.id) }
                throw .invalidGrant
            }
            guard now < record.expires else {
                state.tokens[token] = nil
                throw .invalidGrant
            }
            // Scopes are checked before the token is consumed: a mistake in the request must not cost the grant.
            if let scopes, !Set(scopes).isSubset(of: record.scopes) {
                throw dialect == .openam
                    ? .invalidScopes(scopes.filter { !record.scopes.contains($0) }) : .invalidScope
            }
            // Setting it again makes it the grant that was used last.
            state.grants[record.grant.id] = record.grant
            if client.rotatesRefreshTokens, record.used == nil {
                record.used = now
                state.tokens[token] = record
            }
            return record
        }
    }

    /// The record of a token that is valid.
    func find(_ token: String, now: Timestamp) -> TokenRecord? {
        state.withLock { state in
            guard let record = state.record(token), now < record.expires, record.used == nil else { return nil }
            return record
        }
    }

    /// The record of an issued token, valid or not, if its grant has not ended.
    func record(of token: String) -> TokenRecord? { state.withLock { $0.record(token) } }

    /// The grants with a valid token.
    func alive(at now: Timestamp) -> [IssuedGrant] {
        state.withLock { state in
            let good = Set(state.tokens.values.filter { now < $0.expires && $0.used == nil }.map(\.grant.id))
            return state.grants.values.filter { good.contains($0.id) }
        }
    }

    /// Ends a token of this client, and with a refresh token the whole grant; unknown tokens are no error (RFC 7009).
    func revoke(_ token: String, clientID: String) {
        state.withLock { state in
            guard let record = state.tokens[token], record.grant.clientID == clientID else { return }
            if record.kind == .refresh { state.end(record.grant.id) } else { state.tokens[token] = nil }
        }
    }

    /// The client that a token was issued to; nil for an unknown token.
    func owner(of token: String) -> String? { state.withLock { $0.tokens[token]?.grant.clientID } }

    /// Ends the grants of one user; nil ends all grants.
    func end(user: String?) {
        state.withLock { state in
            state.codes.removeAll { user == nil || $0.grant.user == user }
            state.grants.removeAll { user == nil || $0.user == user }
            state.tokens.removeAll { user == nil || $0.grant.user == user }
        }
    }
}
