package import HTTPCore

/// Reads the answers of one connection, one request at a time; no I/O.
///
/// For each request: `begin`, `requestWritten` once its last byte is written, then `read` with bytes as they arrive, in
/// any pieces, and `end` when the connection ends. `read` gives one event at a time and hands out the body as places in
/// the bytes that it was given. A caller that cannot take more body stops reading from its connection.
///
/// A refusal is final: every later call throws it again, and the connection is never used for another request.
/// Requests are not pipelined.
///
/// - SeeAlso: RFC 9112 sections 4 to 7 and 9.
package struct ResponseParser: Sendable {
    /// The result of one `read`.
    package enum Event: Sendable, Equatable {
        /// All bytes were read; the answer goes on.
        case more
        /// The head of the final answer was read, see `head`; call again, even without bytes left.
        case head
        /// A piece of the body, by its place in the bytes given to this call; call again, even without bytes left.
        case body(Range<Int>)
        /// The answer is complete. Bytes that are left do not belong to it: another call refuses them.
        case end
    }

    /// The bytes that one call read, and what they were.
    package struct Progress: Sendable, Equatable {
        /// The number of bytes read from the beginning of those given.
        package let consumed: Int
        /// The event at their end.
        package let event: Event
    }

    private enum Phase: Equatable {
        /// No request was begun on the connection.
        case fresh
        /// The request is being written.
        case writing
        case head
        /// A body of a known length, of which this many bytes are missing.
        case length(Int)
        /// A body that the end of the connection delimits; this many bytes more are accepted.
        case untilClose(Int)
        case chunks
        case trailers
        case ending
        case complete
        case failed(HTTPCodecError)
    }

    private let limits: ResponseLimits
    private var phase = Phase.fresh
    private var isHead = false
    private var bodyLimit = 0
    private var scanner = LineScanner(isTrailer: false, limit: 0, fieldLimit: 0)
    private var chunks = ChunkScanner(extensions: 0, body: 0)
    /// The beginning of a head or of trailers whose end has not come; at most as long as `headBytes`.
    private var pending: [UInt8] = []
    private var headBytesLeft = 0
    private var fieldLinesLeft = 0
    private var interimLeft = 0
    private var keepsConnection = false

    /// The head of the final answer; nil until it was read.
    package private(set) var head: ResponseHead?

    /// The number of bytes kept of a head or of trailers whose end has not come; at most `ResponseLimits.headBytes`.
    package var heldBytes: Int { pending.count }

    /// - Parameter limits: The bounds of each answer.
    package init(_ limits: ResponseLimits = ResponseLimits()) {
        // Places within a head are kept in 32 bits.
        precondition(limits.headBytes <= 1 << 30, "the limit of a head is too large")
        self.limits = limits
    }

    /// True if the connection may carry another request: nothing was asked yet, or the answer is complete and neither
    /// side said that it is the last (RFC 9112 section 9.3).
    ///
    /// Never true after an answer of HTTP/1.0, or one that the end of the connection delimits.
    package var canBegin: Bool { phase == .fresh || phase == .complete && keepsConnection }

    /// True if the answer was read to its end.
    package var isComplete: Bool {
        if case .failed(.bytesAfterAnswer) = phase { return true }
        return phase == .complete
    }

    /// The refusal that ended the connection's use; nil if there was none.
    package var refusal: HTTPCodecError? {
        if case .failed(let error) = phase { error } else { nil }
    }

    /// The number of bytes missing of a body whose length is known; nil for any other body, and outside of bodies.
    package var missingLength: Int? {
        if case .length(let left) = phase { left } else { nil }
    }

    /// Prepares for the answer to a request, of which no byte was written.
    ///
    /// A connection that cannot carry another request is a programming error of the caller, and traps.
    ///
    /// - Parameters:
    ///   - method: The method of the request; an answer to HEAD has no body. CONNECT is not supported.
    ///   - bodyLimit: The bytes of body that are accepted; nil for `ResponseLimits.bodyBytes`.
    package mutating func begin(_ method: HTTPMethod, bodyLimit: Int? = nil) {
        precondition(canBegin && method != .connect, "the connection cannot carry this request")
        isHead = method == .head
        self.bodyLimit = bodyLimit ?? limits.bodyBytes
        (head, pending) = (nil, [])
        headBytesLeft = limits.headBytes
        fieldLinesLeft = limits.fieldLines
        interimLeft = limits.interimAnswers
        phase = .writing
    }

    /// Says that the last byte of the request was written; an answer may come from now on.
    package mutating func requestWritten() {
        guard phase == .writing else { return }
        phase = .head
        startHead()
    }

    /// Reads bytes up to the next event.
    ///
    /// The caller goes on with the bytes that are left until the event is `more` or `end`. Bytes after the end of an
    /// answer are refused by the next call, and the answer stays usable.
    ///
    /// - Parameter bytes: The bytes that arrived; borrowed for the call. Empty ones are allowed.
    /// - Returns: The number of bytes read, and the event.
    /// - Throws: The check that failed.
    package mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HTTPCodecError) -> Progress {
        do throws(HTTPCodecError) {
            return try advance(bytes)
        } catch {
            phase = .failed(error)
            pending = []
            throw error
        }
    }

    /// Says that the peer ended the connection; no further request can be begun.
    ///
    /// - Parameter isClean: True if the end is the peer's word: FIN without TLS, `close_notify` with it. A reset or a
    ///   TLS connection that just ends is not.
    /// - Throws: The answer is not complete. Nothing is thrown where no request waits for one.
    package mutating func end(isClean: Bool) throws(HTTPCodecError) {
        // rule: a connection that has ended carries no further request
        keepsConnection = false
        if isComplete { return }
        if phase == .fresh {
            phase = .failed(.closedBeforeAnswer)
            return
        }
        do throws(HTTPCodecError) {
            try checkEnd(isClean: isClean)
        } catch {
            (phase, pending) = (.failed(error), [])
            throw error
        }
        phase = .complete
    }

    /// Checks that an answer can end where it is (RFC 9112 section 8).
    private func checkEnd(isClean: Bool) throws(HTTPCodecError) {
        if case .failed(let error) = phase { throw error }
        let hasInterim = interimLeft < limits.interimAnswers
        // rule: a connection does not end before a request is written
        if phase == .writing { throw .closedBeforeAnswer }
        // rule: a connection does not end before an answer
        if phase == .head, pending.isEmpty, !hasInterim { throw .closedBeforeAnswer }
        // rule: a connection does not end within a head
        if phase == .head { throw .closedInHead }
        // rule: a body without a length ends by the peer's word
        if case .untilClose = phase, !isClean { throw .closedUncleanly }
        // rule: a connection does not end within a body of a known length
        if case .length = phase { throw .closedInBody }
        // rule: a connection does not end within chunks
        if phase == .chunks || phase == .trailers { throw .closedInBody }
    }

    private mutating func advance(_ bytes: UnsafeRawBufferPointer) throws(HTTPCodecError) -> Progress {
        switch phase {
        case .failed(let error): throw error
        case .ending:
            phase = .complete
            return Progress(consumed: 0, event: .end)
        case _ where bytes.isEmpty: return Progress(consumed: 0, event: .more)
        case .fresh, .writing, .complete:
            try checkOrder()
            return Progress(consumed: bytes.count, event: .more)
        case .head: return try readHead(bytes)
        case .length(let left):
            let piece = 0..<min(left, bytes.count)
            phase = piece.count == left ? .ending : .length(left - piece.count)
            return Progress(consumed: piece.count, event: .body(piece))
        case .untilClose(let room):
            // rule: a body without a length keeps the limit
            guard room > 0 else { throw .bodyTooLarge }
            let piece = 0..<min(room, bytes.count)
            phase = .untilClose(room - piece.count)
            return Progress(consumed: piece.count, event: .body(piece))
        case .chunks: return try readChunks(bytes)
        case .trailers: return try readTrailers(bytes, from: 0)
        }
    }

    /// Refuses bytes outside of an answer; they are read in the other phases alone.
    private func checkOrder() throws(HTTPCodecError) {
        // rule: no bytes come before a request
        if phase == .fresh { throw .bytesWithoutRequest }
        // rule: no answer comes before the end of its request
        if phase == .writing { throw .answerBeforeRequest }
        // rule: no bytes come after an answer
        if phase == .complete { throw .bytesAfterAnswer }
    }

    private mutating func readHead(_ bytes: UnsafeRawBufferPointer) throws(HTTPCodecError) -> Progress {
        var at = 0
        while try scanLines(bytes, &at) {
            headBytesLeft -= scanner.position
            fieldLinesLeft -= scanner.lines.count
            try scanner.framing.checkEnd()
            guard scanner.status >= 200 else {
                try skipInterim()
                continue
            }
            let whole =
                pending.isEmpty
                ? [UInt8](UnsafeRawBufferPointer(rebasing: bytes[(at - scanner.position)..<at])) : pending
            pending = []
            head = ResponseHead(
                status: scanner.status, isHTTP10: scanner.isHTTP10, bytes: whole, lines: scanner.lines)
            try chooseBody()
            return Progress(consumed: at, event: .head)
        }
        return Progress(consumed: at, event: .more)
    }

    private mutating func startHead() {
        scanner = LineScanner(isTrailer: false, limit: headBytesLeft, fieldLimit: fieldLinesLeft)
    }

    private mutating func skipInterim() throws(HTTPCodecError) {
        // rule: no answer switches the protocol
        if scanner.status == 101 { throw .switchedProtocols }
        interimLeft -= 1
        // rule: interim answers are bounded
        if interimLeft < 0 { throw .tooManyInterim }
        pending = []
        startHead()
    }

    /// Chooses how the body ends (RFC 9112 section 6.3) and whether the connection outlives it.
    private mutating func chooseBody() throws(HTTPCodecError) {
        let framing = scanner.framing
        keepsConnection = true
        // rule: an answer that says close is the last of its connection
        if framing.closes { keepsConnection = false }
        // rule: an answer of HTTP/1.0 is the last of its connection
        if scanner.isHTTP10 { keepsConnection = false }
        // A sender that announces a body here may send one, which would be taken for the next answer.
        // rule: an answer 204 that announces a body is the last of its connection
        if scanner.status == 204, framing.hasCoding || (framing.length ?? 0) > 0 { keepsConnection = false }
        // rule: answers to HEAD have no body
        if isHead {
            phase = .ending
            return
        }
        // rule: answers 204 and 304 have no body
        if scanner.status == 204 || scanner.status == 304 {
            phase = .ending
            return
        }
        if framing.isChunked {
            chunks = ChunkScanner(extensions: limits.chunkExtensionBytes, body: bodyLimit)
            phase = .chunks
        } else if let length = framing.length {
            // rule: an announced length keeps the limit
            guard length <= bodyLimit else { throw .bodyTooLarge }
            phase = length == 0 ? .ending : .length(length)
        } else {
            // The end of the connection completes it, which no other request follows.
            phase = .untilClose(bodyLimit)
        }
    }

    private mutating func readChunks(_ bytes: UnsafeRawBufferPointer) throws(HTTPCodecError) -> Progress {
        var at = 0
        switch try chunks.scan(bytes, &at) {
        case .data(let piece): return Progress(consumed: at, event: .body(piece))
        case .more: return Progress(consumed: at, event: .more)
        case .last:
            scanner = LineScanner(isTrailer: true, limit: headBytesLeft, fieldLimit: fieldLinesLeft)
            phase = .trailers
            return try readTrailers(bytes, from: at)
        }
    }

    /// Reads and drops the trailers.
    private mutating func readTrailers(
        _ bytes: UnsafeRawBufferPointer, from start: Int
    ) throws(HTTPCodecError) -> Progress {
        var at = start
        guard try scanLines(bytes, &at) else { return Progress(consumed: at, event: .more) }
        pending = []
        phase = .complete
        return Progress(consumed: at, event: .end)
    }

    /// Reads lines up to the empty one.
    ///
    /// Where they all lie in `bytes` they are read in place; else they are collected in `pending`, which holds them
    /// when the empty line was read.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that arrived.
    ///   - at: The next byte to look at; moved on.
    /// - Returns: True if the empty line was read.
    /// - Throws: The first problem.
    private mutating func scanLines(
        _ bytes: UnsafeRawBufferPointer, _ at: inout Int
    ) throws(HTTPCodecError) -> Bool {
        guard let base = bytes.baseAddress, at < bytes.count else { return false }
        let there = bytes.count - at
        if pending.isEmpty, try scanner.scan(base + at, min(there, scanner.limit)) {
            at += scanner.position
            return true
        }
        let before = pending.count
        let room = scanner.limit - before
        pending.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[at..<(at + min(there, room))]))
        let isWhole = try scanPending()
        // rule: a head keeps its limit
        guard isWhole || there <= room else { throw .headTooLarge }
        if isWhole { pending.removeLast(pending.count - scanner.position) }
        at += isWhole ? scanner.position - before : there
        return isWhole
    }

    private mutating func scanPending() throws(HTTPCodecError) -> Bool {
        let held = pending
        return try held.withUnsafeBufferPointer { bytes throws(HTTPCodecError) in
            guard let base = bytes.baseAddress else { return false }
            return try scanner.scan(UnsafeRawPointer(base), bytes.count)
        }
    }
}
