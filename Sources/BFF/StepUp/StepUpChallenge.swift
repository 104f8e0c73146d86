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

    var encoded: [UInt8] {
        var writer = RecordWriter(version: 2)
        writer.write(requirement)
        writer.write(acrValues) { $0.write($1) }
        writer.write(route)
        writer.write(transaction) { writer, transaction in transaction.write(into: &writer) }
        return writer.bytes
    }
}

extension StepUpChallenge {
    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 2)
        requirement = try reader.string()
        acrValues = try reader.list { reader throws(RecordReader.Malformed) in try reader.string() }
        route = try reader.string()
        transaction = try reader.optional { reader throws(RecordReader.Malformed) in try HeldTransaction(&reader) }
        try reader.end()
    }
}

/// A transaction of a policy, from the API's refusal to the end of the flow that authorises it.
struct HeldTransaction: Sendable, Equatable {
    /// The id as the gateway named it.
    var id: String
    /// The digest of the refused call's method and path, see `AuthorizedTransaction`.
    var target: [UInt8]
    /// The whole advice, as JSON.
    var advice: String

    func write(into writer: inout RecordWriter) {
        writer.write(id)
        writer.write(target)
        writer.write(advice)
    }
}

extension HeldTransaction {
    init(_ reader: inout RecordReader) throws(RecordReader.Malformed) {
        id = try reader.string()
        target = try reader.byteString()
        advice = try reader.string()
    }
}

extension OpenedSession {
    /// What a foreign API asked for under this id, when it was read and is not over.
    func challenge(_ id: String) -> StepUpChallenge? {
        guard StepUpChallenge.isID(id) else { return nil }
        return decoded(StepUpChallenge.field(id)) { bytes throws(RecordReader.Malformed) in
            try StepUpChallenge(decoding: bytes)
        }
    }
}
