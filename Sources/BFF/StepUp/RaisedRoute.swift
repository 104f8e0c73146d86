import Basics
import Cryptography
import ResourceServer

/// What a step-up that a foreign API asked for means for the route of that call: the retried call goes out with the token
/// of the client that stepped up, although the route's own demand may be met by another one before it.
struct RaisedRoute: Sendable, Equatable {
    /// `RouteDefinition.id`.
    var route: String
    /// The account; empty for the default one.
    var account: String
    /// The client whose token goes first; nil when the step-up brought no token.
    var client: String?
    /// The transaction that the retried call belongs to.
    var transaction: AuthorizedTransaction?
}

/// A transaction that a policy asked to be authorised and that was (docs/protocol.md, 'Policy advice'): the original call is
/// repeated with its id.
package struct AuthorizedTransaction: Sendable, Equatable {
    /// How long the call may take to be repeated.
    static let lifetime = Duration.seconds(300)

    /// The id as the gateway named it; it never comes from a browser.
    package let id: String
    /// The digest of what the call is, query and body included: records stay small, and paths name things.
    let target: [UInt8]
    /// Whose call it is for: another user's is not made with it, though it be the same.
    let issuer: String
    let subject: String
    /// When it is forgotten.
    let until: Timestamp

    /// Whether the id goes out with this call: with the one that was refused and no other.
    ///
    /// - Parameter target: Method, path, query and body.
    /// - Returns: False for any other call.
    package func isFor(_ target: String) -> Bool { Self.digest(target) == self.target }

    /// Whether it is for the calls of the user of a token.
    func isOf(_ token: [TokenFacts]) -> Bool {
        token.contains { $0.issuer.isSameText(as: issuer) && $0.subject?.isSameText(as: subject) == true }
    }

    static func digest(_ target: String) -> [UInt8] { Digest.hash(Array(target.utf8)) }
}

extension RaisedRoute {
    func write(into writer: inout RecordWriter) {
        writer.write(route)
        writer.write(account)
        writer.write(client)
        writer.write(transaction) { writer, transaction in
            writer.write(transaction.id)
            writer.write(transaction.target)
            writer.write(transaction.issuer)
            writer.write(transaction.subject)
            writer.write(transaction.until)
        }
    }

    init(_ reader: inout RecordReader) throws(RecordError) {
        route = try reader.string()
        account = try reader.string()
        client = try reader.optionalString()
        transaction = try reader.optional { reader throws(RecordError) in
            AuthorizedTransaction(
                id: try reader.string(), target: try reader.byteString(), issuer: try reader.string(),
                subject: try reader.string(), until: try reader.timestamp())
        }
    }
}
