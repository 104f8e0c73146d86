import Basics

/// What `user` answers with, rendered when the tokens were stored so that reading it costs no JSON work.
struct UserRecord: Sendable, Equatable {
    /// The epoch in which it was written; an older cookie does not see it.
    var epoch: UInt64
    /// The end of the access token; nil when the provider did not say.
    var accessEnd: Timestamp?
    /// Renew from here on.
    var renewFrom: Timestamp?
    /// The end by the client's own absolute limit.
    var limitEnd: Timestamp?
    /// The client's own idle limit, and when it was last used.
    var idleLimit: Int64?
    var lastUsed: Timestamp
    /// Whether the claims were read from the provider.
    var hasClaims: Bool
    /// Claims that are missing are asked for again from here on; nil for at once.
    var claimsFrom: Timestamp?
    /// The JSON document up to and including `"expiresIn":` of the token.
    ///
    /// A slice, because it is read out of a record only to be put in an answer.
    var head: ArraySlice<UInt8>

    /// Whether the client's own limits have ended it.
    func isOver(at now: Timestamp) -> Bool {
        if let limitEnd, now >= limitEnd { return true }
        if let idleLimit, now >= lastUsed.adding(milliseconds: idleLimit) { return true }
        return false
    }

    /// Whether claims are missing and it is time to ask for them.
    func needsClaims(at now: Timestamp) -> Bool {
        !hasClaims && claimsFrom.map { now >= $0 } ?? true
    }

    /// Whether the access token is good; one without an end is good until the provider says otherwise.
    func isValid(at now: Timestamp) -> Bool {
        accessEnd.map { now < $0 } ?? true
    }

    /// Whether the access token is to be renewed first.
    func needsRenewal(at now: Timestamp) -> Bool {
        renewFrom.map { now >= $0 } ?? false
    }

    /// The whole document.
    ///
    /// - Parameters:
    ///   - now: The time that seconds count from.
    ///   - idle: Seconds until the session ends without use.
    ///   - absolute: Seconds until it ends in any case.
    /// - Returns: JSON, with the seconds that the client's own limits leave where they are fewer.
    func document(at now: Timestamp, idle: Int64, absolute: Int64) -> [UInt8] {
        // What the client's own limits end earlier is over earlier.
        var (idle, absolute) = (idle, absolute)
        if let limitEnd { absolute = min(absolute, limitEnd.secondsLeft(at: now)) }
        if let idleLimit { idle = min(idle, lastUsed.adding(milliseconds: idleLimit).secondsLeft(at: now)) }
        var out: [UInt8] = []
        out.reserveCapacity(head.count + 96)
        out.append(contentsOf: head)
        if let accessEnd {
            out.append(decimal: min(accessEnd.secondsLeft(at: now), absolute))
        } else {
            out.append(literal: "null")
        }
        out.append(literal: "},\"expiresIn\":{\"idle\":")
        out.append(decimal: min(idle, absolute))
        out.append(literal: ",\"absolute\":")
        out.append(decimal: absolute)
        out.append(literal: "}}")
        return out
    }
}

extension UserRecord {
    var encoded: [UInt8] {
        var writer = RecordWriter(version: 1, capacity: head.count + 64)
        writer.write(epoch)
        writer.write(accessEnd)
        writer.write(renewFrom)
        writer.write(limitEnd)
        writer.write(idleLimit) { $0.write($1) }
        writer.write(lastUsed)
        writer.write(hasClaims)
        writer.write(claimsFrom)
        writer.write(head)
        return writer.bytes
    }

    init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: 1)
        epoch = try reader.unsigned()
        accessEnd = try reader.optional { reader throws(RecordReader.Malformed) in try reader.timestamp() }
        renewFrom = try reader.optional { reader throws(RecordReader.Malformed) in try reader.timestamp() }
        limitEnd = try reader.optional { reader throws(RecordReader.Malformed) in try reader.timestamp() }
        idleLimit = try reader.optional { reader throws(RecordReader.Malformed) in try reader.signed() }
        lastUsed = try reader.timestamp()
        hasClaims = try reader.bool()
        claimsFrom = try reader.optional { reader throws(RecordReader.Malformed) in try reader.timestamp() }
        head = try reader.byteSlice()
        try reader.end()
    }
}

extension [UInt8] {
    /// Appends a number in decimal digits; a negative one, of a time that has passed meanwhile, as 0.
    mutating func append(decimal value: Int64) {
        guard value > 9 else { return append(UInt8(ascii: "0") + UInt8(Swift.max(0, value))) }
        append(decimal: value / 10)
        append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    /// Appends a text that is part of the program.
    mutating func append(literal text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }
}
