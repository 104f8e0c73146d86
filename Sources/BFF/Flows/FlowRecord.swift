import Basics
import Cryptography
import Sessions
import StorageKit

/// The stored record of a flow between two requests: its position, the step in flight, and the answer kept for a
/// repeated request.
struct FlowRecord: Sendable, Equatable {
    var id: String
    var instance: InstanceName
    /// The fingerprint of the client that began the flow, see `ClientDefinition.fingerprint`.
    var madeBy: [UInt8] = []
    var started: Timestamp
    var ends: Timestamp
    /// The key of the MACs over answers; sealed and deleted with the flow, so that no hash of a password outlives it.
    var macKey: [UInt8]
    var step: Int
    var phase: Phase
    /// The client's own data for going on with the flow; empty once the flow is over.
    var position: FlowPosition
    /// The event that the page at the position waits for.
    var awaits = Awaited.answers
    /// Departures to other sites and returns from them.
    var travel = FlowTravel()
    var replace: Bool
    /// The goal of a step-up; nil for any other flow.
    var goal: StepUpGoal?
    /// The provider's refusal of the last answers, for which the page is shown again; nil if there was none.
    var refusal: Refusal?
    var kept: KeptAnswer?
    /// Answers that the provider refused so far.
    var refusals = 0
    /// The sign-in that the flow ended with, while it waits to be confirmed.
    var unconfirmed: UnconfirmedSignIn?

    /// The phase of a flow.
    ///
    /// `.sent` is stored before the step is sent, so that no process sends a step twice.
    enum Phase: Sendable, Equatable {
        /// Waits for the answer to `step`.
        case ready
        /// The answer to `step` is in flight to the provider, until the deadline.
        case sent(mac: [UInt8], deadline: Timestamp)
        /// The flow is over; the answer that ended it may still be kept.
        case ended
    }

    /// The event that a flow waits for while it is ready.
    enum Awaited: Sendable, Equatable {
        case answers
        /// Time: the earliest time of the next poll.
        case poll(from: Timestamp)
        /// The user's return from the site that the page sends them to.
        case departure
        /// The user's opening of a link that was sent to them.
        case link
    }

    /// The provider's words on refused answers.
    struct Refusal: Sendable, Equatable {
        var message: String
        /// A JSON array.
        var details: [UInt8]
    }

    /// The answer to a step, kept for a repeated request.
    struct KeptAnswer: Sendable, Equatable {
        var step: Int
        var mac: [UInt8]
        var outcome: Outcome
        var until: Timestamp
        /// The credential that the answer handed out.
        var newSecret: [UInt8]?

        /// The outcome of the step: values from which the answer is made again, never the answer itself.
        enum Outcome: Sendable, Equatable {
            /// The page at the flow's position, as it was at this time.
            case page(at: Timestamp)
            /// The end without a sign-in; `more` is an encoded `FailureDetails`.
            case failure(reason: String, message: String?, more: [UInt8] = [])
            /// The end with a sign-in; nil when no session was made.
            case success(KeptUser?)
            case subjectChanged
            /// The sign-in has to be confirmed; the question is in the flow as long as the sign-in waits.
            case unconfirmed
            /// The provider found the sign-in too weak for its client.
            case stepUpRequired
        }
    }

    /// The prefix of the names of all store fields that hold flows.
    static let fieldPrefix = MetaRecord.FlowEntry.fieldPrefix

    /// The store's field of a flow.
    ///
    /// The name is a digest, because names of fields are not sealed and the id is a capability: with the id, a cookie
    /// from before the sign-in could answer the flow.
    static func field(_ id: String) -> String { MetaRecord.FlowEntry.field(id) }

    static func newID() -> String { "f_" + SecureRandom.token(16) }

    /// True if a text from a request has the form of a flow's id; other texts are not looked up.
    static func isID(_ text: String) -> Bool {
        text.hasPrefix("f_") && text.isWord(24...24)
    }
}

extension FlowRecord: RecordCodable {
    static let version: UInt8 = 8
    var estimatedByteCount: Int { 512 + position.count + (unconfirmed?.estimatedByteCount ?? 0) }

    func write(into writer: inout RecordWriter) {
        writer.write(id)
        writer.write(instance.client)
        writer.write(instance.account)
        writer.write(madeBy)
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
        switch awaits {
        case .answers: writer.write(UInt64(0))
        case .poll(let time):
            writer.write(UInt64(1))
            writer.write(time)
        case .departure: writer.write(UInt64(2))
        case .link: writer.write(UInt64(3))
        }
        travel.write(into: &writer)
        writer.write(replace)
        writer.write(goal) { writer, goal in goal.write(into: &writer) }
        writer.write(refusal) { writer, refusal in
            writer.write(refusal.message)
            writer.write(refusal.details)
        }
        writer.write(kept) { writer, kept in
            writer.write(UInt64(kept.step))
            writer.write(kept.mac)
            kept.outcome.write(into: &writer)
            writer.write(kept.until)
            writer.write(kept.newSecret) { $0.write($1) }
        }
        writer.write(UInt64(refusals))
        writer.write(unconfirmed) { writer, asked in asked.write(into: &writer) }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        id = try reader.string()
        instance = InstanceName(client: try reader.string(), account: try reader.string())
        madeBy = try reader.byteString()
        started = try reader.timestamp()
        ends = try reader.timestamp()
        macKey = try reader.byteString()
        step = try reader.count()
        switch try reader.unsigned() {
        case 0: phase = .ready
        case 1: phase = .sent(mac: try reader.byteString(), deadline: try reader.timestamp())
        case 2: phase = .ended
        default: throw .malformed
        }
        position = try reader.byteString()
        switch try reader.unsigned() {
        case 0: awaits = .answers
        case 1: awaits = .poll(from: try reader.timestamp())
        case 2: awaits = .departure
        case 3: awaits = .link
        default: throw .malformed
        }
        travel = try FlowTravel(&reader)
        replace = try reader.bool()
        goal = try reader.optional { reader throws(RecordError) in try StepUpGoal(&reader) }
        refusal = try reader.optional { reader throws(RecordError) in
            Refusal(message: try reader.string(), details: try reader.byteString())
        }
        kept = try reader.optional { reader throws(RecordError) in try KeptAnswer(&reader) }
        refusals = try reader.count()
        unconfirmed = try reader.optional { reader throws(RecordError) in try UnconfirmedSignIn(&reader) }
    }
}

extension FlowRecord.KeptAnswer {
    fileprivate init(_ reader: inout RecordReader) throws(RecordError) {
        step = try reader.count()
        mac = try reader.byteString()
        outcome = try Outcome(&reader)
        until = try reader.timestamp()
        newSecret = try reader.optional { reader throws(RecordError) in try reader.byteString() }
    }
}

/// The answer of `user` at the time when the sign-in was completed.
struct KeptUser: Sendable, Equatable {
    /// An encoded `UserFacts`.
    var facts: [UInt8]
    var tokenExpiresIn: Int64?
    var idle: Int64
    var absolute: Int64

    init(_ user: User, facts: [UInt8]) {
        self.facts = facts
        tokenExpiresIn = user.tokenExpiresIn
        idle = user.idle
        absolute = user.absolute
    }
}

extension FlowRecord.KeptAnswer.Outcome {
    fileprivate func write(into writer: inout RecordWriter) {
        switch self {
        case .page(let time):
            writer.write(UInt64(0))
            writer.write(time)
        case .failure(let reason, let message, let more):
            writer.write(UInt64(1))
            writer.write(reason)
            writer.write(message)
            writer.write(more)
        case .success(let user):
            writer.write(UInt64(2))
            writer.write(user) { writer, user in
                writer.write(user.facts)
                writer.write(user.tokenExpiresIn) { $0.write($1) }
                writer.write(user.idle)
                writer.write(user.absolute)
            }
        case .subjectChanged: writer.write(UInt64(3))
        case .stepUpRequired: writer.write(UInt64(4))
        case .unconfirmed: writer.write(UInt64(5))
        }
    }

    fileprivate init(_ reader: inout RecordReader) throws(RecordError) {
        switch try reader.unsigned() {
        case 0: self = .page(at: try reader.timestamp())
        case 1:
            self = .failure(
                reason: try reader.string(), message: try reader.optionalString(), more: try reader.byteString())
        case 2:
            self = .success(
                try reader.optional { reader throws(RecordError) in try KeptUser(&reader) })
        case 3: self = .subjectChanged
        case 4: self = .stepUpRequired
        case 5: self = .unconfirmed
        default: throw .malformed
        }
    }
}

extension KeptUser {
    fileprivate init(_ reader: inout RecordReader) throws(RecordError) {
        facts = try reader.byteString()
        tokenExpiresIn = try reader.optional { reader throws(RecordError) in try reader.signed() }
        idle = try reader.signed()
        absolute = try reader.signed()
    }
}

extension RecordReader {
    /// Reads a number that fits an `Int`.
    fileprivate mutating func count() throws(RecordError) -> Int {
        guard let value = Int(exactly: try unsigned()) else { throw .malformed }
        return value
    }
}

extension FlowRecord {
    /// Moves the flow to a page: takes its position, its wait, and zero departures.
    mutating func stand(at opened: any OpenedFlow, _ now: Timestamp) {
        position = opened.position
        travel.departures = 0
        awaits =
            switch opened.wait {
            case .answers: .answers
            case .poll(_, let pace): .poll(from: now + pace)
            case .departure: .departure
            case .link: .link
            }
    }

    var entry: MetaRecord.FlowEntry {
        MetaRecord.FlowEntry(
            id: id, client: instance.client, account: instance.account, started: started, ends: ends)
    }

    func isSent(at now: Timestamp) -> Bool {
        if case .sent(_, let deadline) = phase { now < deadline } else { false }
    }
}

extension SessionEdit {
    /// Writes a flow.
    mutating func put(_ flow: FlowRecord, expires: Timestamp) throws(EditError) {
        try put(FlowRecord.field(flow.id), flow.encoded, expires: expires)
    }

    /// Writes the end of a flow with its answer, and removes the flow from the table of contents.
    mutating func end(
        _ flow: FlowRecord, _ kept: FlowRecord.KeptAnswer, _ meta: inout MetaRecord, expires: Timestamp
    ) throws(EditError) {
        var flow = flow
        flow.end()
        flow.kept = kept
        meta.flows.removeAll { $0.id == flow.id }
        try put(flow, expires: expires)
    }
}

/// A flow's record with its revision in the store.
struct StoredFlow: Sendable {
    let record: FlowRecord
    let revision: UInt64
}

extension OpenedSession {
    /// A flow of the session, if its field was read; nil for a record of an earlier version of the server.
    func flow(_ id: String) -> FlowRecord? { storedFlow(id)?.record }

    /// The flows whose kept answer describes a sign-in; the answer must not outlive the sign-in.
    var signInsTold: [FlowRecord] {
        snapshot.entries.compactMap { entry in
            guard entry.name.hasPrefix(FlowRecord.fieldPrefix), let flow: FlowRecord = decoded(entry.name),
                case .success(_?) = flow.kept?.outcome
            else { return nil }
            return flow
        }
    }

    /// The length of all flows of the session together, in bytes.
    var flowBytes: Int {
        snapshot.entries.reduce(0) { $1.name.hasPrefix(FlowRecord.fieldPrefix) ? $0 + $1.field.value.count : $0 }
    }

    /// A flow of the session with its revision; a known flow with the same revision is not decoded again.
    func storedFlow(_ id: String, known: StoredFlow? = nil) -> StoredFlow? {
        let field = FlowRecord.field(id)
        guard let revision = snapshot[field]?.revision else { return nil }
        if let known, known.record.id == id, known.revision == revision { return known }
        return decoded(field).map { StoredFlow(record: $0, revision: revision) }
    }
}
