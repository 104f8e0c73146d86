public import Basics
internal import JOSE

/// The tokens of one grant, and the facts that were read from them once, when they came.
///
/// Decisions use the facts: `acr`, `amr` and `auth_time` come from the access token where it is a JWT that carries
/// them, else from the verified ID token; `auth_level` comes from the access token alone, since no ID token has it.
public struct TokenSet: Sendable, Equatable {
    private var access: PackedToken
    private var refresh: PackedToken?
    private var id: PackedToken?
    /// The token type as sent, `Bearer` in any case; nil when the provider sent none.
    public var tokenType: String?
    /// The granted scopes, in the provider's order.
    public var scopes: [String]
    /// When the request that brought the tokens was sent.
    public var issuedAt: Timestamp
    /// The expiry of the access token; nil when the provider did not state it.
    public var expiresAt: Timestamp?
    /// The issuer of the ID token.
    public var issuer: String
    /// The client that the tokens were issued to.
    public var clientID: String
    /// The subject, `sub` of the ID token.
    public var subject: String
    /// The authentication context class of the sign-in, and each different class that a later refresh stated.
    ///
    /// Classes have no order, so a requirement is met only if each of them meets it.
    public var acrs: [String]
    /// The authentication methods.
    public var amr: [String]
    /// When the user authenticated.
    public var authTime: Timestamp?
    /// The authentication level, for providers that count one; never negative.
    public var authLevel: Int?
    /// The provider's session id, `sid` of the ID token.
    public var sessionID: String?
    /// The time at which the provider wants the client's session to end, `session_expiry` of the ID token; nil if it
    /// states none.
    public var sessionEnd: Timestamp?

    /// Tokens with their facts.
    public init(
        accessToken: Secret<String>, tokenType: String? = "Bearer", refreshToken: Secret<String>? = nil,
        idToken: Secret<String>? = nil, scopes: [String], issuedAt: Timestamp, expiresAt: Timestamp?, issuer: String,
        clientID: String, subject: String, acr: String? = nil, amr: [String] = [], authTime: Timestamp? = nil,
        authLevel: Int? = nil, sessionID: String? = nil
    ) {
        access = PackedToken(accessToken)
        self.tokenType = tokenType
        refresh = refreshToken.map { PackedToken($0) }
        id = idToken.map { PackedToken($0) }
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.issuer = issuer
        self.clientID = clientID
        self.subject = subject
        acrs = acr.map { [$0] } ?? []
        self.amr = amr
        self.authTime = authTime
        self.authLevel = authLevel
        self.sessionID = sessionID
    }

    /// The access token.
    public var accessToken: Secret<String> {
        get { access.token }
        set { access = PackedToken(newValue) }
    }

    /// The refresh token; nil when the provider sent none.
    public var refreshToken: Secret<String>? {
        get { refresh?.token }
        set { refresh = newValue.map { PackedToken($0) } }
    }

    /// The ID token, kept for logout hints.
    public var idToken: Secret<String>? {
        get { id?.token }
        set { id = newValue.map { PackedToken($0) } }
    }

    /// When the last of the tokens expires; nil when that is unknown, as for an opaque refresh token.
    ///
    /// The expiry of a refresh token that is a JWT is read unverified: it only tells how long revoking makes sense.
    public var end: Timestamp? {
        guard let refreshToken else { return expiresAt }
        guard let token = try? JWS.parse(refreshToken.reveal()),
            let end = (try? JWTClaims.parse(token.payload))?.expires
        else { return nil }
        return expiresAt.map { max($0, end) } ?? end
    }

    /// The authentication context class; nil when there is none, or when a refresh stated another class.
    public var acr: String? {
        get { acrs.count == 1 ? acrs[0] : nil }
        set { acrs = newValue.map { [$0] } ?? [] }
    }
}

extension TokenSet: RecordCodable, Codable {
    /// Version 2 of the stored form.
    public static var version: UInt8 { 2 }
    /// Version 1, in which tokens are texts.
    public static var oldestVersion: UInt8 { 1 }
    /// The tokens and some 400 bytes of facts.
    public var estimatedByteCount: Int {
        access.storedByteCount + (refresh?.storedByteCount ?? 0) + (id?.storedByteCount ?? 0) + 400
    }

    /// Writes the tokens, in clear, and their facts.
    public func write(into writer: inout RecordWriter) {
        access.write(into: &writer)
        writer.write(tokenType)
        writer.write(refresh) { $1.write(into: &$0) }
        writer.write(id) { $1.write(into: &$0) }
        writer.write(scopes) { $0.write($1) }
        writer.write(issuedAt)
        writer.write(expiresAt)
        writer.write(issuer)
        writer.write(clientID)
        writer.write(subject)
        writer.write(acrs) { $0.write($1) }
        writer.write(amr) { $0.write($1) }
        writer.write(authTime)
        writer.write(authLevel) { $0.write(Int64($1)) }
        writer.write(sessionID)
        writer.write(sessionEnd)
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        access = try Self.token(from: &reader)
        tokenType = try reader.optionalString()
        refresh = try reader.optional { reader throws(RecordError) in try Self.token(from: &reader) }
        id = try reader.optional { reader throws(RecordError) in try Self.token(from: &reader) }
        scopes = try reader.strings()
        issuedAt = try reader.timestamp()
        expiresAt = try reader.optionalTimestamp()
        issuer = try reader.string()
        clientID = try reader.string()
        subject = try reader.string()
        acrs = try reader.strings()
        amr = try reader.strings()
        authTime = try reader.optionalTimestamp()
        authLevel = try reader.optional { reader throws(RecordError) in
            guard let level = Int(exactly: try reader.signed()) else { throw .malformed }
            return level
        }
        sessionID = try reader.optionalString()
        sessionEnd = reader.version > 1 ? try reader.optionalTimestamp() : nil
    }

    private static func token(from reader: inout RecordReader) throws(RecordError) -> PackedToken {
        reader.version > 1 ? try PackedToken(from: &reader) : PackedToken(Secret(try reader.string()))
    }
}

extension TokenSet {
    /// True if both belong to one user; compares bytes, because texts that only look alike may name different users.
    package func isSameUser(as other: TokenSet) -> Bool {
        issuer.isSameText(as: other.issuer) && subject.isSameText(as: other.subject)
    }
}

extension TokenSet: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Issuer and client; never a token or a subject.
    public var description: String { "TokenSet(issuer: \(issuer), client: \(clientID))" }
    /// Issuer and client; never a token or a subject.
    public var debugDescription: String { description }
    /// Shows no children, so that printing the value prints no token.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
