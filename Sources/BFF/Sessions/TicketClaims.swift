import Basics

/// What a ticket says besides the data key: whether the cookie may act, and since when.
struct TicketClaims: Sendable, Equatable {
    /// What a cookie may do.
    enum Status: UInt64, Sendable {
        /// It may do everything that the session allows.
        case current
        /// Replaced a moment ago: reads what it read before and ends the session; starts and answers nothing.
        case superseded
        /// Replaced: only collects the answer of the request that replaced it, until a request comes with the new cookie.
        case replayOnly
    }

    /// The change of cookie that a ticket has to do with: the one that replaced it, or the one that brought it and that
    /// is not known to be final.
    struct Change: Sendable, Equatable {
        /// The change's record is `ChangeRecord.field` of this.
        var id: String
        /// From here on a replaced ticket reads nothing any more.
        var readsUntil: Timestamp
        /// From here on a replaced ticket does not collect the answer either.
        var replaysUntil: Timestamp
    }

    var status: Status
    /// Grows with each sign-in and step-up; records say in which epoch they were written.
    var epoch: UInt64
    /// Whether the session had signed in when the ticket was written.
    var isSignedIn: Bool
    /// The end of the session however busy it is.
    var absoluteEnd: Timestamp
    /// nil for a ticket that was not replaced and whose own change is final.
    var change: Change?

    func status(at now: Timestamp) -> Status {
        if status == .superseded, let change, now >= change.readsUntil { return .replayOnly }
        return status
    }
}

extension TicketClaims: RecordCodable {
    static let version: UInt8 = 2
    var estimatedByteCount: Int { 64 }

    func write(into writer: inout RecordWriter) {
        writer.write(status.rawValue)
        writer.write(epoch)
        writer.write(isSignedIn)
        writer.write(absoluteEnd)
        writer.write(change) { writer, change in
            writer.write(change.id)
            writer.write(change.readsUntil)
            writer.write(change.replaysUntil)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        guard let status = Status(rawValue: try reader.unsigned()) else { throw .malformed }
        self.status = status
        epoch = try reader.unsigned()
        isSignedIn = try reader.bool()
        absoluteEnd = try reader.timestamp()
        change = try reader.optional { reader throws(RecordError) in
            Change(
                id: try reader.string(), readsUntil: try reader.timestamp(), replaysUntil: try reader.timestamp())
        }
    }
}
