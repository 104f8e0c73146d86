import Basics
import StorageKit

/// What a foreign API asked for, held in the session for five minutes under a `c_…` id; never taken from the browser.
struct StepUpChallenge: Sendable, Equatable {
    static let lifetime = Duration.seconds(300)

    /// The configured requirement that the challenge was mapped to.
    var requirement: String
    /// The `acr_values` that were asked for.
    var acrValues: [String]
    /// The route of the call, see `RouteDefinition.id`.
    var route: String
    /// The transaction that a policy wants authorised; nil for a challenge without one.
    var transaction: HeldTransaction?

    static let prefix = "challenge/"

    static func field(_ id: String) -> String { prefix + id }

    /// Whether a text from a request may be the id of a challenge; no other is looked up.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasPrefix("c_")
    }
}

extension StepUpChallenge: RecordCodable {
    static let version: UInt8 = 2

    func write(into writer: inout RecordWriter) {
        writer.write(requirement)
        writer.write(acrValues) { $0.write($1) }
        writer.write(route)
        writer.write(transaction) { writer, transaction in transaction.write(into: &writer) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        requirement = try reader.string()
        acrValues = try reader.strings()
        route = try reader.string()
        transaction = try reader.optional { reader throws(RecordError) in try HeldTransaction(&reader) }
    }
}

/// A transaction of a policy, from the API's refusal to the end of the flow that authorises it.
struct HeldTransaction: Sendable, Equatable {
    /// The id as the gateway named it, or the browser where no call was refused.
    var id: String
    /// The digest of what the refused call is, see `AuthorizedTransaction`; empty where none was.
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
    /// What a foreign API asked for under this id, when it was read and is not over.
    func challenge(_ id: String) -> StepUpChallenge? {
        StepUpChallenge.isID(id) ? decoded(StepUpChallenge.field(id)) : nil
    }
}
