import Basics
import OpenIDConnect
import Sessions
import StorageKit

/// The proof of the last sign-in with a provider session: how and when the user authenticated, without any secret.
///
/// Tokens that the session alone brings, without the user, prove no more than that sign-in. The record is stored beside
/// the provider session and stays when the tokens are deleted, so that a new start does not make an old sign-in look
/// recent.
struct ProofRecord: RecordCodable, Equatable {
    static let version = TokenSet.version
    static let oldestVersion = TokenSet.oldestVersion

    private let facts: TokenSet

    /// The time at which the user authenticated, as the provider said.
    var authTime: Timestamp? { facts.authTime }

    /// Takes the proof from the tokens of a sign-in.
    ///
    /// - Parameters:
    ///   - tokens: The tokens.
    ///   - stated: The time at which the user authenticated, by the provider's clock: the next sign-in has to be later
    ///     by the same clock.
    init(_ tokens: TokenSet, stated: Timestamp?) {
        facts = TokenSet(
            accessToken: Secret(""), scopes: [], issuedAt: tokens.issuedAt, expiresAt: nil, issuer: tokens.issuer,
            clientID: tokens.clientID, subject: tokens.subject, amr: tokens.amr, authTime: stated,
            authLevel: tokens.authLevel
        ).with(acrs: tokens.acrs)
    }

    /// The field of the proof beside a provider session's field.
    static func field(besides sessionField: String) -> String { "proof" + sessionField.dropFirst("session".count) }

    /// Limits tokens that the session alone brought to what the sign-in proved; tokens of another user lose all such
    /// facts.
    func limiting(_ tokens: TokenSet) -> TokenSet {
        facts.isSameUser(as: tokens) ? tokens.limited(by: facts.clamped) : tokens.withoutFacts
    }

    func write(into writer: inout RecordWriter) { facts.write(into: &writer) }

    init(from reader: inout RecordReader) throws(RecordError) { facts = try TokenSet(from: &reader) }
}

extension TokenSet {
    /// A copy whose time of authentication is not later than the request for the tokens, from which its age counts.
    ///
    /// The provider's clock may state a later time.
    var clamped: TokenSet {
        var tokens = self
        tokens.authTime = authTime.map { min($0, issuedAt) }
        return tokens
    }

    fileprivate func with(acrs: [String]) -> TokenSet {
        var tokens = self
        tokens.acrs = acrs
        return tokens
    }

    /// Tokens that say nothing of how and when the user authenticated.
    fileprivate var withoutFacts: TokenSet {
        var tokens = with(acrs: [])
        tokens.amr = []
        tokens.authTime = nil
        tokens.authLevel = nil
        return tokens
    }
}

extension OpenedSession {
    /// The time at which the user last authenticated with a provider session, as its provider said.
    func formerAuthTime(of sessionField: String) -> Timestamp? {
        let proof: ProofRecord? = decoded(ProofRecord.field(besides: sessionField))
        return proof?.authTime
    }

    /// Limits tokens that a provider session brought without the user to the facts that its sign-in proved.
    func limiting(_ tokens: TokenSet, from sessionField: String) -> TokenSet {
        let proof: ProofRecord? = decoded(ProofRecord.field(besides: sessionField))
        return proof?.limiting(tokens) ?? tokens.withoutFacts
    }
}
