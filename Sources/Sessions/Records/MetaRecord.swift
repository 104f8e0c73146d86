package import Basics
import Cryptography

/// The table of contents of a browser session: its tokens, provider sessions and flows, without any secret.
package struct MetaRecord: Sendable, Equatable {
    /// The field of the table of contents.
    package static let field = "meta"

    /// The time at which the session was created.
    var created: Timestamp
    /// The end of the session regardless of use.
    package var absoluteEnd: Timestamp
    /// The number of the latest sign-in or step-up.
    package var epoch: UInt64
    /// The tokens of the session, one entry for each storage.
    package var tokens: [TokenEntry] = []
    /// The provider sessions, one entry for each storage.
    package var sessions: [SessionEntry] = []
    /// The flows in progress.
    package var flows: [FlowEntry] = []

    /// One token storage that holds tokens.
    package struct TokenEntry: Sendable, Equatable {
        /// The field of the tokens.
        package var field: String
        /// The client whose sign-in stored them.
        package var client: String
        /// The account of the sign-in; empty for the default account.
        package var account: String
        /// The provider session they came from.
        package var sessionField: String
        /// The provider's issuer.
        package var issuer: String
        /// The user's subject at the issuer.
        package var subject: String
        /// The time of the sign-in.
        package var signedInAt: Timestamp
        /// The end by the client's own absolute limit; nil without such a limit.
        package var limitEnd: Timestamp?
        /// The end of the access token; nil if the provider did not say.
        package var accessEnd: Timestamp?
        /// The epoch of the sign-in; an older cookie does not see it.
        package var epoch: UInt64

        /// Makes the entry of tokens.
        package init(
            field: String, client: String, account: String, sessionField: String, issuer: String, subject: String,
            signedInAt: Timestamp, limitEnd: Timestamp? = nil, accessEnd: Timestamp? = nil, epoch: UInt64
        ) {
            self.field = field
            self.client = client
            self.account = account
            self.sessionField = sessionField
            self.issuer = issuer
            self.subject = subject
            self.signedInAt = signedInAt
            self.limitEnd = limitEnd
            self.accessEnd = accessEnd
            self.epoch = epoch
        }
    }

    /// One session storage that holds a provider session.
    package struct SessionEntry: Sendable, Equatable {
        /// The field of the provider session.
        package var field: String
        /// The name of a client that can end the provider session.
        package var client: String
        /// The account of the sign-in; empty for the default account.
        package var account: String
        /// The issuer of the tokens that came with the provider session; `subject` is theirs as well.
        package var issuer: String
        /// The user's subject at the issuer.
        package var subject: String

        /// Makes the entry of a provider session.
        package init(field: String, client: String, account: String, issuer: String, subject: String) {
            self.field = field
            self.client = client
            self.account = account
            self.issuer = issuer
            self.subject = subject
        }
    }

    /// One flow in progress.
    package struct FlowEntry: Sendable, Equatable {
        /// The beginning of the fields of flows.
        package static let fieldPrefix = "flow/"

        /// The field of the flow with an id; it has a digest, so that names of fields show no id.
        package static func field(_ id: String) -> String {
            fieldPrefix + Base64URL.encode(Digest.hash(utf8: id).prefix(16))
        }

        /// The id of the flow, a capability.
        package var id: String
        /// The client of the flow.
        package var client: String
        /// The account of the sign-in; empty for the default account.
        package var account: String
        var started: Timestamp
        /// The time from which the flow takes no answers.
        package var ends: Timestamp

        /// Makes the entry of a flow.
        package init(id: String, client: String, account: String, started: Timestamp, ends: Timestamp) {
            self.id = id
            self.client = client
            self.account = account
            self.started = started
            self.ends = ends
        }
    }

    /// True if the session holds tokens or a provider session.
    package var isSignedIn: Bool { !tokens.isEmpty || !sessions.isEmpty }

    /// The accounts in use, the default one included; a flow that has ended uses none.
    package func accounts(at now: Timestamp) -> Set<String> {
        Set(tokens.map(\.account) + sessions.map(\.account) + flows.filter { now < $0.ends }.map(\.account))
    }

    /// The flows in progress of an instance.
    package func flows(of instance: InstanceName) -> [FlowEntry] {
        flows.filter { $0.client == instance.client && $0.account == instance.account }
    }

    /// The contents that a replaced cookie of this epoch may see: no newer sign-in, and no flows, because it takes part
    /// in none.
    package func asSeen(from epoch: UInt64) -> MetaRecord {
        var seen = self
        seen.tokens.removeAll { $0.epoch > epoch }
        seen.sessions.removeAll { session in !seen.tokens.contains { $0.sessionField == session.field } }
        seen.flows = []
        return seen
    }

    /// Puts an entry in place of the one with the same field.
    package mutating func put(_ entry: TokenEntry) {
        tokens.removeAll { $0.field == entry.field }
        tokens.append(entry)
    }

    /// Puts an entry in place of the one with the same field.
    package mutating func put(_ entry: SessionEntry) {
        sessions.removeAll { $0.field == entry.field }
        sessions.append(entry)
    }
}

extension MetaRecord: RecordCodable {
    package static let version: UInt8 = 1

    package func write(into writer: inout RecordWriter) {
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

    package init(from reader: inout RecordReader) throws(RecordError) {
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
    package var userField: String { "user" + field.dropFirst("token".count) }
}
