import Basics
import Sessions
import StorageKit

/// A challenge of an upstream API, held in the session for five minutes under a `c_…` id; never taken from the browser.
struct StepUpChallenge: Sendable, Equatable {
    static let lifetime = Duration.seconds(300)

    /// The configured requirement that the challenge was mapped to.
    var requirement: String
    /// The `acr_values` of the challenge, without those that the configuration does not know.
    var acrValues: [String]
    /// The route of the refused call, see `RouteDefinition.id`.
    var route: String
    /// The issuer of the user whose call was refused; empty if the client that steps up has no user.
    var issuer = ""
    /// The subject of that user.
    var subject = ""
    /// The transaction that a policy wants authorised; nil for a challenge without one.
    var transaction: HeldTransaction?

    static let prefix = "challenge/"

    static func field(_ id: String) -> String { prefix + StepUpIDs.name(id) }

    /// True if a text from a request has the form of a challenge's id; no other text is looked up.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasPrefix("c_")
    }
}

extension StepUpChallenge: RecordCodable {
    static let version: UInt8 = 3

    func write(into writer: inout RecordWriter) {
        writer.write(requirement)
        writer.write(acrValues) { $0.write($1) }
        writer.write(route)
        writer.write(issuer)
        writer.write(subject)
        writer.write(transaction) { writer, transaction in transaction.write(into: &writer) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        requirement = try reader.string()
        acrValues = try reader.strings()
        route = try reader.string()
        issuer = try reader.string()
        subject = try reader.string()
        transaction = try reader.optional { reader throws(RecordError) in try HeldTransaction(&reader) }
    }
}

/// The syntax of a transaction's id.
package enum TransactionID {
    /// The maximum length, in bytes.
    package static let longest = 128

    /// True if a text may be an id: 1 to `longest` bytes of `[A-Za-z0-9._-]`, which need no escaping anywhere.
    package static func isOne(_ text: String) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isWordByte || $0 == UInt8(ascii: ".") }
    }
}

/// A transaction that a policy demands, from the API's refusal to the end of the flow that authorises it.
struct HeldTransaction: Sendable, Equatable {
    /// The transaction's id: as the gateway named it, or as the browser named it where no call was refused.
    var id: String
    /// The digest of the refused call, see `AuthorizedTransaction`; empty where no call was refused.
    var target: [UInt8]
    /// The whole advice, as JSON; empty where there is none.
    var advice: String

    func write(into writer: inout RecordWriter) {
        writer.write(id)
        writer.write(target)
        writer.write(advice)
    }
}

extension HeldTransaction {
    init(_ reader: inout RecordReader) throws(RecordError) {
        id = try reader.string()
        target = try reader.byteString()
        advice = try reader.string()
    }
}

extension OpenedSession {
    /// The challenge with this id; nil when it was not read or has expired.
    func challenge(_ id: String) -> StepUpChallenge? {
        StepUpChallenge.isID(id) ? decoded(StepUpChallenge.field(id)) : nil
    }
}
