import Basics
import JSON
import OpenIDConnect
import Sessions

/// A sign-in that waits in its flow until its user confirms that it replaces another user.
///
/// The flow's record holds it, sealed like all records of a session, so that any process can store it. Nothing of it is
/// in use before its confirmation.
struct UnconfirmedSignIn: Sendable, Equatable {
    /// The provider session, encoded by the client.
    var session: [UInt8]
    /// The tokens, encoded.
    var tokens: [UInt8]
    /// The claims as JSON; nil if they were not read.
    var claims: String?
    var subject: String
    /// The user's name in the claims.
    var name: String?
    /// The users that it replaces, as they were when the question was asked.
    var former: [Former]
    /// The stored revocations that end it at the provider unless it is confirmed.
    var held: [Held]
    /// The field that a confirmation leaves in the session, by which the stored revocations know of the confirmation.
    var mark: String

    /// A user of the browser session, by the provider's issuer and subject.
    struct Former: Sendable, Equatable {
        var issuer: String
        var subject: String
    }

    /// The place and name under which a revocation is stored.
    struct Held: Sendable, Equatable {
        var place: Int
        var name: String
    }

    /// The name of the field that a confirmation leaves.
    static func markField(_ id: String) -> String { "confirmed/" + id }
}

extension UnconfirmedSignIn {
    /// True if the user was asked about every user whose tokens the entries hold.
    func covers(_ entries: [MetaRecord.TokenEntry]) -> Bool {
        entries.allSatisfy { entry in
            former.contains { $0.issuer.isSameText(as: entry.issuer) && $0.subject.isSameText(as: entry.subject) }
        }
    }

    /// The users of entries, each user once.
    static func users(of entries: [MetaRecord.TokenEntry]) -> [Former] {
        entries.reduce(into: []) { users, entry in
            let user = Former(issuer: entry.issuer, subject: entry.subject)
            if !users.contains(user) { users.append(user) }
        }
    }

    /// The approximate size of the encoded form, in bytes.
    var estimatedByteCount: Int { 512 + session.count + tokens.count + (claims?.utf8.count ?? 0) }

    /// The tokens and the session to be revoked at the provider, in the order of `held`.
    func revocable(_ client: String) -> [Revocable] { [.tokens(tokens, client), .session(session, client)] }

    /// The stored jobs that revoke it at the provider.
    func jobs(_ client: String, _ queue: RevocationQueue) -> [RevocationQueue.Job] {
        zip(revocable(client), held).map { queue.job($0, $1) }
    }
}

extension UnconfirmedSignIn {
    func write(into writer: inout RecordWriter) {
        writer.write(session)
        writer.write(tokens)
        writer.write(claims)
        writer.write(subject)
        writer.write(name)
        writer.write(former) { writer, user in
            writer.write(user.issuer)
            writer.write(user.subject)
        }
        writer.write(held) { writer, held in
            writer.write(UInt64(held.place))
            writer.write(held.name)
        }
        writer.write(mark)
    }

    init(_ reader: inout RecordReader) throws(RecordError) {
        session = try reader.byteString()
        tokens = try reader.byteString()
        claims = try reader.optionalString()
        subject = try reader.string()
        name = try reader.optionalString()
        former = try reader.list { reader throws(RecordError) in
            Former(issuer: try reader.string(), subject: try reader.string())
        }
        held = try reader.list { reader throws(RecordError) in
            guard let place = Int(exactly: try reader.unsigned()) else { throw .malformed }
            return Held(place: place, name: try reader.string())
        }
        mark = try reader.string()
    }
}
