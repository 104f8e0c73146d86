import Basics
import JSON
import OpenIDConnect
import Sessions
import StorageKit

/// The record of an instance's user, rendered when the tokens were stored so that reading it costs no JSON work.
struct UserRecord: Sendable, Equatable {
    /// The epoch in which the record was written; a cookie of an older epoch does not see it.
    var epoch: UInt64
    /// The end of the access token; nil when the provider did not say.
    var accessEnd: Timestamp?
    /// The time from which the access token is to be renewed; nil for never.
    var renewFrom: Timestamp?
    /// The end by the client's own absolute limit; nil for none.
    var limitEnd: Timestamp?
    /// The client's own idle timeout in milliseconds, nil for none; and the time of the last use.
    var idleLimit: Int64?
    var lastUsed: Timestamp
    /// True if the claims were read from the provider.
    var hasClaims: Bool
    /// The time from which missing claims are asked for again; nil for at once.
    var claimsFrom: Timestamp?
    /// An encoded `UserFacts`, without the claims where `rendered` has them.
    var facts: ArraySlice<UInt8>
    /// The place of the claims in `rendered`; nil where `facts` holds them.
    var claims: Range<Int>?
    /// The form of `rendered`, see `UserRenderer.format`; 0 for none.
    var format: UInt64 = 0
    /// The facts as the renderer gave them; a slice, because it is read out of a record only to be put in an answer.
    var rendered: ArraySlice<UInt8> = []

    /// True if the client's own limits have ended the tokens.
    func isOver(at now: Timestamp) -> Bool {
        // rule: a client's absolute limit ends its tokens
        if let limitEnd, now >= limitEnd { return true }
        // rule: a client's idle limit ends its tokens
        if let idleLimit, now >= lastUsed.adding(milliseconds: idleLimit) { return true }
        return false
    }

    /// True if claims are missing and it is time to ask for them.
    func needsClaims(at now: Timestamp) -> Bool {
        !hasClaims && claimsFrom.map { now >= $0 } ?? true
    }

    /// True if the access token is good; a token without an end is good until the provider says otherwise.
    func isValid(at now: Timestamp) -> Bool {
        accessEnd.map { now < $0 } ?? true
    }

    /// True if the access token has to be renewed before it is used.
    func needsRenewal(at now: Timestamp) -> Bool {
        renewFrom.map { now >= $0 } ?? false
    }
}

extension UserRecord {
    /// Makes the record of new tokens, without the client's own absolute limit, which counts from the client's sign-in.
    init(_ tokens: TokenSet, _ facts: UserFacts, _ client: ClientDefinition, at now: Timestamp) {
        self.init(
            epoch: 0, accessEnd: tokens.expiresAt,
            renewFrom: tokens.expiresAt.map { end in
                // Such a token cannot be renewed before it ends, and it is good until then.
                guard tokens.refreshToken != nil || !client.isElevated else { return end }
                return Self.renewFrom(issued: tokens.issuedAt, end: end, client)
            },
            limitEnd: nil, idleLimit: client.limits.idle?.milliseconds, lastUsed: now,
            hasClaims: facts.claims != nil, claimsFrom: nil, facts: [])
    }

    /// The time from which a token is renewed: the client's threshold before its end, but not before half its life.
    ///
    /// A larger threshold would renew the token on every call.
    private static func renewFrom(issued: Timestamp, end: Timestamp, _ client: ClientDefinition) -> Timestamp {
        max(end - client.refreshThreshold, issued + (end - issued) / 2)
    }

    /// The decoded facts; nil only if they were not written by `show`.
    var userFacts: UserFacts? {
        guard var user = try? UserFacts(decoding: Array(facts)) else { return nil }
        if let claims {
            let text = rendered.dropFirst(claims.lowerBound).prefix(claims.count)
            guard let object = (try? JSONValue(parsing: Array(text)))?.object else { return nil }
            user.claims = object
        }
        return user
    }

    /// Stores facts, and renders them.
    mutating func show(_ user: UserFacts, by renderer: any UserRenderer) {
        format = renderer.format
        rendered = renderer.render(user)[...]
        claims = user.claims.flatMap { Self.place(of: $0.text, in: rendered) }
        var user = user
        if claims != nil { user.claims = nil }
        facts = user.encoded[...]
    }

    /// The offsets at which a text stands in bytes; nil if it does not.
    private static func place(of text: String, in bytes: ArraySlice<UInt8>) -> Range<Int>? {
        bytes.withUnsafeBytes { bytes in
            Array(text.utf8).withUnsafeBytes { text in
                bytes.place(of: text).map { $0..<$0 + text.count }
            }
        }
    }

    /// The answer to `user`.
    ///
    /// - Parameters:
    ///   - renderer: The renderer of the answer; a record that is stored in another form is rendered anew.
    ///   - now: The time that seconds count from.
    ///   - idle: Seconds until the session ends without use.
    ///   - absolute: Seconds until the session ends in any case.
    /// - Returns: The user, with the seconds that the client's own limits leave where they are fewer; nil when the
    ///   facts cannot be read.
    func user(_ renderer: any UserRenderer, at now: Timestamp, idle: Int64, absolute: Int64) -> User? {
        // The client's own limits may end the user's tokens before the session ends.
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
    static let version: UInt8 = 3
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
        writer.write(claims) { writer, place in
            writer.write(UInt64(place.lowerBound))
            writer.write(UInt64(place.count))
        }
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
        guard reader.version == Self.version else { return }
        let rendered = rendered
        claims = try reader.optional { reader throws(RecordError) in
            let (start, count) = (try reader.unsigned(), try reader.unsigned())
            guard start <= UInt64(rendered.count), count <= UInt64(rendered.count) - start else { throw .malformed }
            return Int(start)..<Int(start + count)
        }
    }
}

extension OpenedSession {
    /// The user record in a field; nil when it was not read.
    func user(_ field: String) -> UserRecord? { decoded(field) }
}
