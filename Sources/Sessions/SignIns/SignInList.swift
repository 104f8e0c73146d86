package import Basics
import StorageKit

/// The sign-ins of one browser session, in a form that needs no cookie: what an index lists, and how each is ended.
///
/// The record is sealed with the server key and goes with the session. It holds neither a secret nor the name of a
/// user: users and provider sessions are MACs under the server key.
package struct SignInList: Sendable, Equatable {
    /// The field of the record.
    package static let field = "sign-ins"

    /// The time of the session's first sign-in.
    package var begun: Timestamp
    /// Words about the browser and its system; empty if they are unknown.
    package var device: String
    /// The sign-ins, one part for each record that ends by itself.
    package var parts: [Part]
    /// False if the session may hold sign-ins that the list does not name: it then ends as a whole.
    package var isWhole = true

    /// The tokens of one token storage, or the provider session of one session storage.
    package struct Part: Sendable, Equatable {
        /// The fields to delete; the first one identifies the part.
        package var fields: [String]
        /// The client whose sign-in stored it.
        package var client: String
        /// The account of the sign-in; empty for the default account.
        package var account: String
        /// The user and the provider session, as the index names them.
        package var names: IndexNames
        /// The time at which the user authenticated, as far as the provider said, and at most that of the sign-in.
        package var authenticated: Timestamp
        /// The time of the sign-in.
        package var signedInAt: Timestamp

        /// Makes a part.
        package init(
            fields: [String], instance: InstanceName, names: IndexNames, authenticated: Timestamp, signedInAt: Timestamp
        ) {
            self.fields = fields
            client = instance.client
            account = instance.account
            self.names = names
            self.authenticated = authenticated
            self.signedInAt = signedInAt
        }

        /// The client and the account.
        package var instance: InstanceName { InstanceName(client: client, account: account) }
        /// True if the part holds tokens; false for a provider session.
        package var isTokens: Bool { fields.first?.hasPrefix("token/") ?? false }
    }

    /// Makes a list.
    package init(begun: Timestamp, device: String, parts: [Part] = []) {
        self.begun = begun
        self.device = device
        self.parts = parts
    }

    /// Puts a part in place of the one with the same field.
    package mutating func put(_ part: Part) {
        parts.removeAll { $0.fields.first == part.fields.first }
        parts.append(part)
    }

    /// The list without parts whose records the session does not have any more: a logout deletes them, and leaves the
    /// list as it is.
    func living(in snapshot: SessionSnapshot) -> SignInList {
        var living = self
        living.parts.removeAll { part in part.fields.first.map { snapshot[$0] == nil } ?? true }
        return living
    }

    /// The list without parts whose records the table of contents does not name.
    package func kept(in meta: MetaRecord) -> SignInList {
        let fields = Set(meta.tokens.map(\.field) + meta.sessions.map(\.field))
        var kept = self
        kept.parts.removeAll { part in !fields.contains(part.fields.first ?? "") }
        return kept
    }
}

extension SignInList: RecordCodable {
    package static let version: UInt8 = 1
    package var estimatedByteCount: Int { 64 + parts.count * 256 }

    package func write(into writer: inout RecordWriter) {
        writer.write(begun)
        writer.write(device)
        writer.write(parts) { writer, part in
            writer.write(part.fields) { $0.write($1) }
            writer.write(part.client)
            writer.write(part.account)
            writer.write(part.names.user)
            writer.write(part.names.session)
            writer.write(part.authenticated)
            writer.write(part.signedInAt)
        }
        writer.write(isWhole)
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        begun = try reader.timestamp()
        device = try reader.string()
        parts = try reader.list { reader throws(RecordError) in
            let fields = try reader.strings()
            let instance = InstanceName(client: try reader.string(), account: try reader.string())
            let names = IndexNames(user: try reader.byteString(), session: try reader.byteString())
            return Part(
                fields: fields, instance: instance, names: names, authenticated: try reader.timestamp(),
                signedInAt: try reader.timestamp())
        }
        isWhole = try reader.bool()
    }
}

/// The keys under which a sign-in is found: MACs of the user and of the provider session.
package struct IndexNames: Sendable, Equatable {
    /// The MAC of issuer and subject.
    package var user: [UInt8]
    /// The MAC of issuer and `sid`; for a sign-in without a `sid`, another MAC of issuer and subject.
    package var session: [UInt8]

    /// Makes the keys of a sign-in.
    package init(user: [UInt8], session: [UInt8]) {
        self.user = user
        self.session = session
    }
}
