import Basics
import Cryptography

/// The table of contents of a browser session: its tokens, provider sessions and flows, without any secret.
struct MetaRecord: Sendable, Equatable {
    static let field = "meta"

    var created: Timestamp
    var absoluteEnd: Timestamp
    var epoch: UInt64
    var tokens: [TokenEntry] = []
    var sessions: [SessionEntry] = []
    var flows: [FlowEntry] = []

    /// One token storage that holds tokens.
    struct TokenEntry: Sendable, Equatable {
        /// The field of the tokens.
        var field: String
        /// The client whose sign-in stored them.
        var client: String
        var account: String
        /// The provider session they came from.
        var sessionField: String
        var issuer: String
        var subject: String
        var signedInAt: Timestamp
        /// The end by the client's own absolute limit; nil without such a limit.
        var limitEnd: Timestamp?
        /// The end of the access token; nil if the provider did not say.
        var accessEnd: Timestamp?
        /// The epoch of the sign-in; an older cookie does not see it.
        var epoch: UInt64
    }

    /// One session storage that holds a provider session.
    struct SessionEntry: Sendable, Equatable {
        var field: String
        /// The name of a client that can end the provider session.
        var client: String
        var account: String
        /// The issuer of the tokens that came with the provider session; `subject` is theirs as well.
        var issuer: String
        var subject: String
    }

    /// One flow in progress.
    struct FlowEntry: Sendable, Equatable {
        /// The beginning of the fields of flows.
        static let fieldPrefix = "flow/"

        /// The field of the flow with an id; it has a digest, so that names of fields show no id.
        static func field(_ id: String) -> String { fieldPrefix + Base64URL.encode(Digest.hash(utf8: id).prefix(16)) }

        var id: String
        var client: String
        var account: String
        var started: Timestamp
        var ends: Timestamp
    }

    /// True if the session holds tokens or a provider session.
    var isSignedIn: Bool { !tokens.isEmpty || !sessions.isEmpty }

    /// The accounts in use, the default one included; a flow that has ended uses none.
    func accounts(at now: Timestamp) -> Set<String> {
        Set(tokens.map(\.account) + sessions.map(\.account) + flows.filter { now < $0.ends }.map(\.account))
    }

    /// The contents that a replaced cookie of this epoch may see: no newer sign-in, and no flows, because it takes part
    /// in none.
    func asSeen(from epoch: UInt64) -> MetaRecord {
        var seen = self
        seen.tokens.removeAll { $0.epoch > epoch }
        seen.sessions.removeAll { session in !seen.tokens.contains { $0.sessionField == session.field } }
        seen.flows = []
        return seen
    }

    mutating func put(_ entry: TokenEntry) {
        tokens.removeAll { $0.field == entry.field }
        tokens.append(entry)
    }

    mutating func put(_ entry: SessionEntry) {
        sessions.removeAll { $0.field == entry.field }
        sessions.append(entry)
    }
}

extension MetaRecord: RecordCodable {
    static let version: UInt8 = 1

    func write(into writer: inout RecordWriter) {
        writer.write(created)
        writer.write(absoluteEnd)
        writer.write(epoch)
        writer.write(tokens) { writer, entry in
            writer.write(entry.field)
            writer.write(entry.client)
            writer.write(entry.account)
            writer.write(entry.sessionField)
            writer.write(entry.issuer)
            writer.write(entry.subject)
            writer.write(entry.signedInAt)
            writer.write(entry.limitEnd)
            writer.write(entry.accessEnd)
            writer.write(entry.epoch)
        }
        writer.write(sessions) { writer, entry in
            writer.write(entry.field)
            writer.write(entry.client)
            writer.write(entry.account)
            writer.write(entry.issuer)
            writer.write(entry.subject)
        }
        writer.write(flows) { writer, entry in
            writer.write(entry.id)
            writer.write(entry.client)
            writer.write(entry.account)
            writer.write(entry.started)
            writer.write(entry.ends)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        created = try reader.timestamp()
        absoluteEnd = try reader.timestamp()
        epoch = try reader.unsigned()
        tokens = try reader.list { reader throws(RecordError) in try TokenEntry(&reader) }
        sessions = try reader.list { reader throws(RecordError) in
            SessionEntry(
                field: try reader.string(), client: try reader.string(), account: try reader.string(),
                issuer: try reader.string(), subject: try reader.string())
        }
        flows = try reader.list { reader throws(RecordError) in
            FlowEntry(
                id: try reader.string(), client: try reader.string(), account: try reader.string(),
                started: try reader.timestamp(), ends: try reader.timestamp())
        }
    }
}

extension MetaRecord.TokenEntry {
    fileprivate init(_ reader: inout RecordReader) throws(RecordError) {
        field = try reader.string()
        client = try reader.string()
        account = try reader.string()
        sessionField = try reader.string()
        issuer = try reader.string()
        subject = try reader.string()
        signedInAt = try reader.timestamp()
        limitEnd = try reader.optionalTimestamp()
        accessEnd = try reader.optionalTimestamp()
        epoch = try reader.unsigned()
    }
}

extension MetaRecord.TokenEntry {
    /// The user record beside the tokens.
    var userField: String { "user" + field.dropFirst("token".count) }
}
