import Basics

/// What a ticket says besides the data key: whether the cookie may act, and since when.
struct TicketClaims: Sendable, Equatable {
    /// What a cookie may do.
    enum Standing: UInt64, Sendable {
        /// Everything.
        case current
        /// Replaced by a step-up: reads records of its own epoch, starts and answers nothing.
        case superseded
        /// Replaced: only collects the answer of the request that replaced it.
        case replayOnly
    }

    var standing: Standing
    /// Grows with each sign-in and step-up; records say in which epoch they were written.
    var epoch: UInt64
    /// Whether the session had signed in when the ticket was written.
    var isSignedIn: Bool
    /// The end of the session however busy it is.
    var absoluteEnd: Timestamp
    /// From here on a superseded ticket is `replayOnly`.
    var replayOnlyFrom: Timestamp?

    func standing(at now: Timestamp) -> Standing {
        if let replayOnlyFrom, now >= replayOnlyFrom { return .replayOnly }
        return standing
    }

    var encoded: [UInt8] {
        var writer = RecordWriter(version: 1, capacity: 32)
        writer.write(standing.rawValue)
        writer.write(epoch)
        writer.write(isSignedIn)
        writer.write(absoluteEnd)
        writer.write(replayOnlyFrom)
        return writer.bytes
    }
}

extension TicketClaims {
    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 1)
        guard let standing = Standing(rawValue: try reader.unsigned()) else { throw RecordReader.Malformed() }
        self.standing = standing
        epoch = try reader.unsigned()
        isSignedIn = try reader.bool()
        absoluteEnd = try reader.timestamp()
        replayOnlyFrom = try reader.optional { reader throws(RecordReader.Malformed) in try reader.timestamp() }
        try reader.end()
    }
}
