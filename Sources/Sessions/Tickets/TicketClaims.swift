package import Basics

/// The claims of a ticket besides the data key: what its cookie may do, and of which sign-in it is.
package struct TicketClaims: Sendable, Equatable {
    /// The rights of a cookie.
    package enum Status: UInt64, Sendable {
        /// The cookie may do everything that the session allows.
        case current
        /// The cookie was replaced a moment ago: it reads what it read before and may end the session, but starts and
        /// answers no flow.
        case superseded
        /// The cookie was replaced: until a request comes with the new cookie, it only collects the response that
        /// carried that cookie.
        case replayOnly
    }

    /// The cookie rotation of a ticket: the one that replaced it, or the one that created it and is not known to be
    /// confirmed.
    package struct Rotation: Sendable, Equatable {
        /// The id of the rotation; its record has the field `RotationRecord.field(id)`.
        package var id: String
        /// The time from which a replaced ticket reads nothing any more.
        package var readsUntil: Timestamp
        /// The time from which a replaced ticket does not collect the response either.
        var replaysUntil: Timestamp
    }

    /// The rights of the cookie when the ticket was written.
    package var status: Status
    /// The number of the latest sign-in or step-up, which grows with each; records keep the epoch in which they were
    /// written.
    package var epoch: UInt64
    /// True if the session had signed in when the ticket was written.
    package var isSignedIn: Bool
    /// The end of the session regardless of use.
    package var absoluteEnd: Timestamp
    /// The rotation of the ticket; nil for a ticket that was not replaced and whose own rotation is confirmed.
    package var rotation: Rotation?

    /// True if the cookie counts only together with a proof of the device that the session is bound to.
    package var isBound = false

    /// The rights of the cookie now.
    package func status(at now: Timestamp) -> Status {
        if status == .superseded, let rotation, now >= rotation.readsUntil { return .replayOnly }
        return status
    }
}

extension TicketClaims: RecordCodable {
    /// Added to the number of the status in the ticket of a bound session.
    private static let boundMark: UInt64 = 16

    package static let version: UInt8 = 2
    package var estimatedByteCount: Int { 64 }

    package func write(into writer: inout RecordWriter) {
        // A ticket of a session that is not bound is the one that servers without device binding write.
        writer.write(status.rawValue + (isBound ? Self.boundMark : 0))
        writer.write(epoch)
        writer.write(isSignedIn)
        writer.write(absoluteEnd)
        writer.write(rotation) { writer, rotation in
            writer.write(rotation.id)
            writer.write(rotation.readsUntil)
            writer.write(rotation.replaysUntil)
        }
    }

    package init(from reader: inout RecordReader) throws(RecordError) {
        let stated = try reader.unsigned()
        isBound = stated >= Self.boundMark
        guard let status = Status(rawValue: isBound ? stated - Self.boundMark : stated) else { throw .malformed }
        self.status = status
        epoch = try reader.unsigned()
        isSignedIn = try reader.bool()
        absoluteEnd = try reader.timestamp()
        rotation = try reader.optional { reader throws(RecordError) in
            Rotation(
                id: try reader.string(), readsUntil: try reader.timestamp(), replaysUntil: try reader.timestamp())
        }
    }
}
