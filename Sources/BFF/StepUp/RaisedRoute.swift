import Basics
import Cryptography
import ResourceServer

/// The result of a step-up that an upstream API asked for, kept for the route of the refused call.
///
/// The retried call goes out with the token of the client that stepped up, although another client before it may have a
/// token that meets the route's own demand.
struct RaisedRoute: Sendable, Equatable {
    /// `RouteDefinition.id`.
    var route: String
    /// The account; empty for the default one.
    var account: String
    /// The client whose token is tried first; nil when the step-up brought no token.
    var client: String?
    /// The transaction that the retried call belongs to; nil for none.
    var transaction: AuthorizedTransaction?
}

/// A transaction that a policy wants authorised, after the flow for it has ended (docs/protocol.md, 'Policy advice').
///
/// The refused call is repeated with the transaction's id; the API decides then whether the transaction is authorised.
package struct AuthorizedTransaction: Sendable, Equatable {
    /// The time in which the call has to be repeated.
    static let lifetime = Duration.seconds(300)

    /// The id as the gateway named it; it never comes from a browser.
    package let id: String
    /// The digest of the call: method, path, query and body.
    ///
    /// It is a digest because records stay small, and because paths may contain identifiers.
    let target: [UInt8]
    /// The user of the call; an equal call of another user does not carry the id.
    let issuer: String
    let subject: String
    /// The instant at which the transaction is forgotten.
    let until: Timestamp

    /// True if the call is the refused one, so that it carries the transaction's id.
    ///
    /// - Parameter target: Method, path, query and body.
    /// - Returns: False for any other call.
    package func isFor(_ target: String) -> Bool { Self.digest(target) == self.target }

    /// True if the token's user is the user of the transaction.
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
