import Basics
import OpenIDConnect
import StorageKit

/// What `user` answers with, rendered when the tokens were stored so that reading it costs no JSON work.
struct UserRecord: Sendable, Equatable {
    /// The epoch in which it was written; an older cookie does not see it.
    var epoch: UInt64
    /// The end of the access token; nil when the provider did not say.
    var accessEnd: Timestamp?
    /// Renew from here on.
    var renewFrom: Timestamp?
    /// The end by the client's own absolute limit.
    var limitEnd: Timestamp?
    /// The client's own idle limit, and when it was last used.
    var idleLimit: Int64?
    var lastUsed: Timestamp
    /// Whether the claims were read from the provider.
    var hasClaims: Bool
    /// Claims that are missing are asked for again from here on; nil for at once.
    var claimsFrom: Timestamp?
    /// An encoded `UserFacts`; read only to be changed, or rendered anew.
    var facts: ArraySlice<UInt8>
    /// The form of `rendered`; 0 for none.
    var format: UInt64 = 0
    /// The same as the renderer gave it: slices, because they are read out of a record only to be put in an answer.
    var rendered: ArraySlice<UInt8> = []

    /// Whether the client's own limits have ended it.
    func isOver(at now: Timestamp) -> Bool {
        // rule: a client's absolute limit ends its tokens
        if let limitEnd, now >= limitEnd { return true }
        // rule: a client's idle limit ends its tokens
        if let idleLimit, now >= lastUsed.adding(milliseconds: idleLimit) { return true }
        return false
    }

    /// Whether claims are missing and it is time to ask for them.
    func needsClaims(at now: Timestamp) -> Bool {
        !hasClaims && claimsFrom.map { now >= $0 } ?? true
    }

    /// Whether the access token is good; one without an end is good until the provider says otherwise.
    func isValid(at now: Timestamp) -> Bool {
        accessEnd.map { now < $0 } ?? true
    }

    /// Whether the access token is to be renewed first.
    func needsRenewal(at now: Timestamp) -> Bool {
        renewFrom.map { now >= $0 } ?? false
    }
}

extension UserRecord {
    /// A record of new tokens; without the client's own absolute limit, which counts from its sign-in.
    init(_ tokens: TokenSet, _ facts: UserFacts, _ client: ClientDefinition, at now: Timestamp) {
        self.init(
            epoch: 0, accessEnd: tokens.expiresAt,
            renewFrom: tokens.expiresAt.map { end in
                // Nothing renews it before it ends, and until then it is good.
                guard tokens.refreshToken != nil || !client.isElevated else { return end }
                return Self.renewFrom(issued: tokens.issuedAt, end: end, client)
            },
            limitEnd: nil, idleLimit: client.limits.idle?.milliseconds, lastUsed: now,
            hasClaims: facts.claims != nil, claimsFrom: nil, facts: [])
    }

    /// A threshold of more than half the token's life would renew on every call: then half its life counts.
    private static func renewFrom(issued: Timestamp, end: Timestamp, _ client: ClientDefinition) -> Timestamp {
        max(end - client.refreshThreshold, issued + (end - issued) / 2)
    }

    /// The facts; absent only if they were not written by `show`.
    var userFacts: UserFacts? { try? UserFacts(decoding: Array(facts)) }

    /// Takes facts over, and has them rendered.
    mutating func show(_ user: UserFacts, by renderer: any UserRenderer) {
        facts = user.encoded[...]
        format = renderer.format
        rendered = renderer.render(user)[...]
    }

    /// The answer to `user`.
    ///
    /// - Parameters:
    ///   - renderer: Whose form the answer has; what is stored in another form is rendered anew.
    ///   - now: The time that seconds count from.
    ///   - idle: Seconds until the session ends without use.
    ///   - absolute: Seconds until it ends in any case.
    /// - Returns: The user, with the seconds that the client's own limits leave where they are fewer; nil when the facts
    ///   cannot be read.
    func user(_ renderer: any UserRenderer, at now: Timestamp, idle: Int64, absolute: Int64) -> User? {
        // What the client's own limits end earlier is over earlier.
        var (idle, absolute) = (idle, absolute)
        if let limitEnd { absolute = min(absolute, limitEnd.secondsLeft(at: now)) }
        if let idleLimit { idle = min(idle, lastUsed.adding(milliseconds: idleLimit).secondsLeft(at: now)) }
        let left = accessEnd.map { min($0.secondsLeft(at: now), absolute) }
        idle = min(idle, absolute)
        guard format != renderer.format else {
            return User(rendered: rendered, tokenExpiresIn: left, idle: idle, absolute: absolute)
        }
        return userFacts.map { facts in
            User(rendered: renderer.render(facts)[...], tokenExpiresIn: left, idle: idle, absolute: absolute)
        }
    }
}

extension UserRecord: RecordCodable {
    static let version: UInt8 = 2
    static let oldestVersion = FormerUserDocument.version
    var estimatedByteCount: Int { facts.count + rendered.count + 64 }

    func write(into writer: inout RecordWriter) {
        writer.write(epoch)
        writer.write(accessEnd)
        writer.write(renewFrom)
        writer.write(limitEnd)
        writer.write(idleLimit) { $0.write($1) }
        writer.write(lastUsed)
        writer.write(hasClaims)
        writer.write(claimsFrom)
        writer.write(facts)
        writer.write(format)
        writer.write(rendered)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        epoch = try reader.unsigned()
        accessEnd = try reader.optionalTimestamp()
        renewFrom = try reader.optionalTimestamp()
        limitEnd = try reader.optionalTimestamp()
        idleLimit = try reader.optional { reader throws(RecordError) in try reader.signed() }
        lastUsed = try reader.timestamp()
        hasClaims = try reader.bool()
        claimsFrom = try reader.optionalTimestamp()
        facts = try reader.byteSlice()
        if reader.version == FormerUserDocument.version {
            facts = try FormerUserDocument.facts(in: facts, hasClaims: hasClaims).encoded[...]
        } else {
            format = try reader.unsigned()
            rendered = try reader.byteSlice()
        }
    }
}

extension OpenedSession {
    /// A user record, when it was read.
    func user(_ field: String) -> UserRecord? { decoded(field) }
}
