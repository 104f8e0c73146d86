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
    /// The sign-ins, one part for each record that ends by itself; also those that a cookie rotation keeps from before,
    /// as long as it may put them back.
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
        /// The name of the part in the list.
        var name: String { fields.first ?? "" }
        /// The field of the cookie rotation that keeps the part from before; nil for a part that is in force.
        var rotation: String? { EndedParts.rotation(of: name) }
        /// True if the part holds tokens that are in force; false for a provider session.
        package var isTokens: Bool { name.hasPrefix("token/") }

        /// The part as a cookie rotation keeps it.
        func former(of rotation: String) -> Part {
            var former = self
            former.fields = fields.map { EndedParts.formerField($0, of: rotation) }
            return former
        }
    }

    /// Makes a list.
    package init(begun: Timestamp, device: String, parts: [Part] = []) {
        self.begun = begun
        self.device = device
        self.parts = parts
    }

    /// True if no part is in force.
    var isEmpty: Bool { !parts.contains { $0.rotation == nil } }

    /// Puts parts in place of those with the same fields, and removes those whose records the table of contents does not
    /// name.
    ///
    /// - Parameters:
    ///   - new: The new parts.
    ///   - meta: The table of contents.
    ///   - rotation: The field of the cookie rotation that keeps what was there before; nil for none.
    ///   - now: The time at which the session begins if no other sign-in is left in it.
    mutating func put(_ new: [Part], in meta: MetaRecord, keptBy rotation: String?, at now: Timestamp) {
        let fields = Set(meta.tokens.map(\.field) + meta.sessions.map(\.field))
        let names = Set(new.map(\.name))
        let gone = parts.filter { $0.rotation == nil && !fields.contains($0.name) }
        let going = gone + parts.filter { $0.rotation == nil && fields.contains($0.name) && names.contains($0.name) }
        if parts.allSatisfy({ $0.rotation != nil || gone.contains($0) }) { begun = now }
        parts.removeAll { going.contains($0) }
        for part in rotation.map({ rotation in going.map { $0.former(of: rotation) } }) ?? [] {
            // Of several parts with one field the rotation keeps the first one.
            // rule: the list names what a rotation keeps from before
            if !parts.contains(where: { $0.name == part.name }) { parts.append(part) }
        }
        parts += new
    }

    /// The list without parts whose records the session does not have any more: a logout deletes them, and leaves the
    /// list as it is.
    func living(in snapshot: SessionSnapshot) -> SignInList {
        var living = self
        living.parts.removeAll { snapshot[$0.rotation ?? $0.name] == nil }
        return living
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

/// The names of a sign-in under every server key.
package struct SignInNames: Sendable {
    /// The names under each server key, in their order.
    let all: [IndexNames]
    /// The names under the first server key, by which the sign-in is entered and listed.
    package var current: IndexNames { all[0] }

    /// Makes the names of a sign-in; there is at least one server key.
    init(_ all: [IndexNames]) { self.all = all }
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
