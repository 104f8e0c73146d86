public import Basics
internal import JOSE
internal import JSON

/// What a valid access token says, in one shape whatever the provider's (docs/protocol.md, 'Claims').
public struct TokenFacts: Sendable, Equatable {
    /// Who issued the token, as configured.
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
    /// When the user authenticated.
    public var authTime: Timestamp?
    /// The end of the token; nil when its issuer was asked and did not say.
    public var expires: Timestamp?
    /// Whether it is of a client and no user: there is nobody to step up, and nobody signed in.
    public var isClientCredentials: Bool
    /// Whether the issuer said which scopes there are, be it none.
    private var statesScopes = true

    /// Facts of a token.
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

    /// The facts in checked claims.
    init(_ claims: JWTClaims, issuer: String, expires: Timestamp?) {
        self.issuer = issuer
        subject = claims.subject.flatMap { $0.isEmpty ? nil : $0 }
        clientID = claims.client
        scopes = Set(claims.scopes ?? [])
        statesScopes = claims.scopes != nil
        acr = claims.acr
        amr = claims.amr
        authLevel = claims.authLevel
        authTime = claims.authTime.map { Self.clamped(Self.inSeconds($0), claims.issuedAt) }
        self.expires = expires
        isClientCredentials = claims.isOfMachine
    }

    /// The facts of a token whose issuer was asked as well: what the token says, filled in by the answer where it is
    /// silent; where both speak, the weaker of the two.
    ///
    /// Answers may be minimal (RFC 7662 requires `active` alone), so what they leave out is not taken back.
    ///
    /// - Returns: nil when the answer is about another user's or client's token.
    func confirmed(by answer: TokenFacts) -> TokenFacts? {
        // rule: an answer is about the token's own user and client
        guard Self.agree(subject, answer.subject), Self.agree(clientID, answer.clientID) else { return nil }
        var facts = self
        // rule: scopes are those that token and answer have
        if answer.statesScopes { facts.scopes = scopes.intersection(answer.scopes) }
        // Classes have no order: which of two is the weaker one nobody knows.
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

    /// OpenAM states this time in milliseconds after a refresh; taken for seconds it would be a year that no clock shows.
    private static func inSeconds(_ time: Timestamp) -> Timestamp {
        time.seconds > 100_000_000_000 ? Timestamp(milliseconds: time.seconds) : time
    }

    /// By one clock nobody authenticated after the token was issued: an age counts from then.
    ///
    /// What is further ahead than clocks are is left as it is, and met by nothing.
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
