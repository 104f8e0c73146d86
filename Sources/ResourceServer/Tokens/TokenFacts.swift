public import Basics
internal import JOSE
internal import JSON

/// The facts of a valid access token, in one shape for all providers (docs/protocol.md, 'Claims').
public struct TokenFacts: Sendable, Equatable {
    /// The issuer of the token, as configured.
    public var issuer: String
    /// The subject as the provider writes it; nil for a client's own token.
    public var subject: String?
    /// The client that the token was issued to.
    public var clientID: String?
    /// The granted scopes.
    public var scopes: Set<String>
    /// The authentication context class.
    public var acr: String?
    /// The authentication methods.
    public var amr: [String]
    /// AM's authentication level.
    public var authLevel: Int?
    /// The time at which the user authenticated.
    public var authTime: Timestamp?
    /// The end of the token; nil if an introspection answer left it out.
    public var expires: Timestamp?
    /// True if the token is a client's own: no user signed in, and no user can step up.
    public var isClientCredentials: Bool
    /// True if the issuer stated the scopes, even if there are none.
    private var statesScopes = true

    /// Creates the facts of a token.
    public init(
        issuer: String, subject: String?, clientID: String? = nil, scopes: Set<String> = [], acr: String? = nil,
        amr: [String] = [], authLevel: Int? = nil, authTime: Timestamp? = nil, expires: Timestamp?,
        isClientCredentials: Bool = false
    ) {
        self.issuer = issuer
        self.subject = subject
        self.clientID = clientID
        self.scopes = scopes
        self.acr = acr
        self.amr = amr
        self.authLevel = authLevel
        self.authTime = authTime
        self.expires = expires
        self.isClientCredentials = isClientCredentials
    }

    /// Reads the facts from checked claims.
    init(_ claims: JWTClaims, issuer: String, expires: Timestamp?) {
        self.issuer = issuer
        subject = claims.subject.flatMap { $0.isEmpty ? nil : $0 }
        clientID = claims.client
        scopes = Set(claims.scopes ?? [])
        statesScopes = claims.statesScopes
        acr = claims.acr
        amr = claims.amr
        authLevel = claims.authLevel
        authTime = claims.authTime.map { Self.clamped(Self.inSeconds($0), claims.issuedAt) }
        self.expires = expires
        isClientCredentials = claims.isOfMachine
    }

    /// Merges the facts of a token with its issuer's answer to introspection.
    ///
    /// The answer fills in facts that the token lacks; where both state a fact, the weaker one counts.
    ///
    /// Answers may be minimal (RFC 7662 requires `active` alone), so the facts that they leave out stay.
    ///
    /// - Returns: The merged facts; nil if the answer is about another user's or client's token.
    func confirmed(by answer: TokenFacts) -> TokenFacts? {
        // rule: an answer is about the token's own user and client
        guard Self.agree(subject, answer.subject), Self.agree(clientID, answer.clientID) else { return nil }
        var facts = self
        // rule: scopes are those that token and answer have
        if answer.statesScopes { facts.scopes = scopes.intersection(answer.scopes) }
        // Classes have no order, so the weaker of two cannot be determined.
        // rule: classes that differ are none | acr
        facts.acr = Self.agree(acr, answer.acr) ? acr ?? answer.acr : nil
        if amr.isEmpty {
            facts.amr = answer.amr
            // rule: methods are those that token and answer have
        } else if !answer.amr.isEmpty {
            facts.amr = amr.filter { method in answer.amr.contains { $0.isSameText(as: method) } }
        }
        // rule: the level is the lower of two | authLevel ?? answer.authLevel
        facts.authLevel = Self.least(authLevel, answer.authLevel)
        // rule: the time of authentication is the earlier of two | authTime ?? answer.authTime
        facts.authTime = Self.least(authTime, answer.authTime)
        // rule: the end is the earlier of two | expires ?? answer.expires
        facts.expires = Self.least(expires, answer.expires)
        facts.isClientCredentials = isClientCredentials || answer.isClientCredentials && answer.subject != nil
        return facts
    }

    /// Converts milliseconds to seconds: after a refresh OpenAM states `auth_time` in milliseconds, which read as
    /// seconds would be a year that no clock shows.
    private static func inSeconds(_ time: Timestamp) -> Timestamp {
        time.seconds > 100_000_000_000 ? Timestamp(milliseconds: time.seconds) : time
    }

    /// Limits the time of authentication to the time of issue, since both come from one clock.
    ///
    /// A time further ahead than clocks differ is left as it is, and meets no rule.
    private static func clamped(_ time: Timestamp, _ issued: Timestamp?) -> Timestamp {
        // rule: a time far ahead is left as it is
        guard let issued, time <= issued + .seconds(60) else { return time }
        return min(time, issued)
    }

    private static func agree(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return true }
        return one.isSameText(as: other)
    }

    private static func least<Value: Comparable>(_ one: Value?, _ other: Value?) -> Value? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
