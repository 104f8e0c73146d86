import HTTPCore

@testable import HTTPCodec

/// Reads answers as `ResponseParser` does, and collects each body.
struct ResponseCollector: Sendable {
    /// An answer that was read to its end.
    struct Response: Sendable, Equatable {
        /// The head of the final answer.
        let head: ResponseHead
        /// The body, decoded from chunks.
        let body: [UInt8]
    }

    /// The room for a body that is reserved because its length was announced; a longer one is believed as it arrives.
    private static let trusted = 65_536

    private var reader: ResponseParser
    private var body: [UInt8] = []
    private var isTaken = false

    /// - Parameter limits: The bounds of each answer.
    init(_ limits: ResponseLimits = ResponseLimits()) {
        reader = ResponseParser(limits)
    }

    /// True if the connection may carry another request, see `ResponseParser.canBegin`.
    var canBegin: Bool { reader.canBegin }
    /// True if the answer was read to its end.
    var isComplete: Bool { reader.isComplete }
    /// The refusal that ended the connection's use; nil if there was none.
    ///
    /// `bytesAfterAnswer` leaves the answer before them usable.
    var refusal: HTTPCodecError? { reader.refusal }
    /// The head of the final answer; nil until it was read.
    var head: ResponseHead? { isTaken ? nil : reader.head }

    /// Prepares for the answer to a request, see `ResponseParser.begin(_:)`.
    mutating func begin(_ method: HTTPMethod) {
        (body, isTaken) = ([], false)
        reader.begin(method)
    }

    /// Says that the last byte of the request was written.
    mutating func requestWritten() { reader.requestWritten() }

    /// Reads all of the bytes.
    ///
    /// - Parameter bytes: The bytes that arrived; borrowed for the call.
    /// - Returns: True if the answer is complete; bytes after it in the same call show in `refusal`.
    /// - Throws: The check that failed.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(HTTPCodecError) -> Bool {
        var left = bytes
        while true {
            let progress = try reader.read(left)
            switch progress.event {
            case .more: return false
            case .head: if let length = reader.missingLength { body.reserveCapacity(min(length, Self.trusted)) }
            case .body(let piece): body.append(contentsOf: UnsafeRawBufferPointer(rebasing: left[piece]))
            case .end:
                left = UnsafeRawBufferPointer(rebasing: left[progress.consumed...])
                // The reader keeps the refusal of what follows.
                if !left.isEmpty { _ = try? reader.read(left) }
                return true
            }
            left = UnsafeRawBufferPointer(rebasing: left[progress.consumed...])
        }
    }

    /// Says that the peer ended the connection, see `ResponseParser.end(isClean:)`.
    ///
    /// - Parameter isClean: True if the end is the peer's word.
    /// - Throws: The answer is not complete.
    mutating func end(isClean: Bool) throws(HTTPCodecError) { try reader.end(isClean: isClean) }

    /// Gives the complete answer away.
    ///
    /// - Returns: The answer; nil before it is complete, and after it was taken.
    mutating func take() -> Response? {
        guard isComplete, let head else { return nil }
        isTaken = true
        defer { body = [] }
        return Response(head: head, body: body)
    }
}
