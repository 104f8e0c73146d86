import Basics
import Cryptography

/// One flow between two requests: where it stands, what was sent, and the answer kept for whoever asks again.
struct FlowRecord: Sendable, Equatable {
    var id: String
    var instance: InstanceName
    var started: Timestamp
    var ends: Timestamp
    /// The key of the MACs over answers; sealed and deleted with the flow, so that no hash of a password outlives it.
    var macKey: [UInt8]
    var step: Int
    var phase: Phase
    /// What the client needs to go on; empty once the flow is over.
    var position: FlowPosition
    var replace: Bool
    var noSession: Bool
    /// What the flow was started for, when it is a step-up.
    var goal: StepUpGoal?
    /// Whether the page is shown again because the provider refused the last answers.
    var refusal: Refusal?
    var kept: KeptAnswer?

    /// Where the flow stands (design/api.md 4).
    enum Phase: Sendable, Equatable {
        /// Waits for the answer to `step`.
        case ready
        /// The answer to `step` is on its way to the provider, until the deadline.
        case sent(mac: [UInt8], deadline: Timestamp)
        /// Over.
        case ended
    }

    /// The provider's words on refused answers.
    struct Refusal: Sendable, Equatable {
        var message: String
        /// A JSON array.
        var details: [UInt8]
    }

    /// The answer to a step, for the same request again.
    struct KeptAnswer: Sendable, Equatable {
        var step: Int
        var mac: [UInt8]
        var outcome: Outcome
        var until: Timestamp
        /// The credential that the answer handed out.
        var newSecret: [UInt8]?

        enum Outcome: Sendable, Equatable {
            case node([UInt8])
            case subjectChanged
        }
    }

    static func field(_ id: String) -> String { "flow/\(id)" }

    static func newID() -> String { "f_" + SecureRandom.token(16) }

    /// Whether a text from a request may be the id of a flow; no other is looked up.
    static func isID(_ text: String) -> Bool {
        text.utf8.count == 24 && text.hasPrefix("f_")
            && text.utf8.dropFirst(2).allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

extension FlowRecord {
    var encoded: [UInt8] {
        var writer = RecordWriter(version: 3, capacity: 512 + position.count + (kept?.size ?? 0))
        writer.write(id)
        writer.write(instance.client)
        writer.write(instance.account)
        writer.write(started)
        writer.write(ends)
        writer.write(macKey)
        writer.write(UInt64(step))
        switch phase {
        case .ready: writer.write(UInt64(0))
        case .sent(let mac, let deadline):
            writer.write(UInt64(1))
            writer.write(mac)
            writer.write(deadline)
        case .ended: writer.write(UInt64(2))
        }
        writer.write(position)
        writer.write(replace)
        writer.write(noSession)
        writer.write(goal) { writer, goal in goal.write(into: &writer) }
        writer.write(refusal) { writer, refusal in
            writer.write(refusal.message)
            writer.write(refusal.details)
        }
        writer.write(kept) { writer, kept in
            writer.write(UInt64(kept.step))
            writer.write(kept.mac)
            switch kept.outcome {
            case .node(let json):
                writer.write(UInt64(0))
                writer.write(json)
            case .subjectChanged: writer.write(UInt64(1))
            }
            writer.write(kept.until)
            writer.write(kept.newSecret) { $0.write($1) }
        }
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 3)
        id = try reader.string()
        instance = InstanceName(client: try reader.string(), account: try reader.string())
        started = try reader.timestamp()
        ends = try reader.timestamp()
        macKey = try reader.byteString()
        step = try reader.count()
        switch try reader.unsigned() {
        case 0: phase = .ready
        case 1: phase = .sent(mac: try reader.byteString(), deadline: try reader.timestamp())
        case 2: phase = .ended
        default: throw RecordReader.Malformed()
        }
        position = try reader.byteString()
        replace = try reader.bool()
        noSession = try reader.bool()
        goal = try reader.optional { reader throws(RecordReader.Malformed) in try StepUpGoal(&reader) }
        refusal = try reader.optional { reader throws(RecordReader.Malformed) in
            Refusal(message: try reader.string(), details: try reader.byteString())
        }
        kept = try reader.optional { reader throws(RecordReader.Malformed) in try KeptAnswer(&reader) }
        try reader.end()
    }
}

extension FlowRecord.KeptAnswer {
    fileprivate var size: Int {
        if case .node(let json) = outcome { json.count } else { 0 }
    }

    fileprivate init(_ reader: inout RecordReader) throws(RecordReader.Malformed) {
        step = try reader.count()
        mac = try reader.byteString()
        switch try reader.unsigned() {
        case 0: outcome = .node(try reader.byteString())
        case 1: outcome = .subjectChanged
        default: throw RecordReader.Malformed()
        }
        until = try reader.timestamp()
        newSecret = try reader.optional { reader throws(RecordReader.Malformed) in try reader.byteString() }
    }
}

extension RecordReader {
    /// Reads a number that fits an `Int`.
    fileprivate mutating func count() throws(Malformed) -> Int {
        guard let value = Int(exactly: try unsigned()) else { throw Malformed() }
        return value
    }
}
