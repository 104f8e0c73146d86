import Basics
import JSON
import OpenIDConnect

/// A sign-in that waits in its flow for its user to confirm that it takes the place of another user.
///
/// It lies in the record of the flow, sealed as all records of a session are, so that any process can store it. Nothing of it
/// is in use before.
struct UnconfirmedSignIn: Sendable, Equatable {
    /// The provider session, encoded by the client.
    var session: [UInt8]
    /// The tokens, encoded.
    var tokens: [UInt8]
    /// The claims as JSON; nil when they were not read.
    var claims: String?
    var subject: String
    /// What the claims call the user.
    var name: String?
    /// The users whose place it takes, as they were when the question was asked.
    var former: [Former]
    /// What ends it at the provider unless it is confirmed, as it is written down.
    var held: [Held]
    /// The field that a confirmation leaves in the session, by which those revocations know of it.
    var mark: String

    /// A user of the browser session, by what the provider calls them.
    struct Former: Sendable, Equatable {
        var issuer: String
        var subject: String
    }

    /// Where a revocation is written down.
    struct Held: Sendable, Equatable {
        var place: Int
        var name: String
    }

    /// The field that a confirmation leaves.
    static func markField(_ id: String) -> String { "confirmed/" + id }
}

extension UnconfirmedSignIn {
    /// True if everyone whose place would be taken is one that the user was asked about.
    func covers(_ entries: [MetaRecord.TokenEntry]) -> Bool {
        entries.allSatisfy { entry in
            former.contains { $0.issuer.isSameText(as: entry.issuer) && $0.subject.isSameText(as: entry.subject) }
        }
    }

    /// The users of entries, each once.
    static func users(of entries: [MetaRecord.TokenEntry]) -> [Former] {
        entries.reduce(into: []) { users, entry in
            let user = Former(issuer: entry.issuer, subject: entry.subject)
            if !users.contains(user) { users.append(user) }
        }
    }

    /// Roughly how many bytes its form takes.
    var estimatedByteCount: Int { 512 + session.count + tokens.count + (claims?.utf8.count ?? 0) }

    /// What ends it at the provider, in the order in which it is held.
    func revocable(_ client: String) -> [Revocable] { [.tokens(tokens, client), .session(session, client)] }

    /// What ends it at the provider, as it is written down.
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
