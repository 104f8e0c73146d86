internal import Basics

/// The head of an answer, and its body on the way.
public struct StreamedResponse: Sendable {
    /// The status code, 200 to 599.
    public let status: Int
    /// The header fields in order, each occurrence separate.
    public let fields: HTTPFields
    /// The body, decoded from any transfer coding.
    public let body: ResponseStream

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - fields: The header fields.
    ///   - body: The body.
    public init(status: Int, fields: HTTPFields = [:], body: ResponseStream) {
        (self.status, self.fields, self.body) = (status, fields, body)
    }
}

/// The pieces of a body on their way from a transport to their reader.
///
/// Its end of life ends the exchange: a transport then closes the connection if bytes are missing.
public protocol ResponsePieces: AnyObject, Sendable {
    /// The next piece, never empty; nil at the end.
    ///
    /// - Throws: The reason why the rest of the body does not come, at each further call as well; `.cancelled` when the
    ///   calling task was cancelled; `.noUsableAnswer(.refusedLocally)` while another call waits.
    func next() async throws(TransportError) -> [UInt8]?
}

/// The body of an answer, read piece by piece; the peer is held back while no piece is asked for.
///
/// Single use: it has one iterator. The exchange ends, and with it its connection if bytes are missing, when the
/// iterator is dropped, when the task that waits in it is cancelled, or when the body is dropped without an iterator.
public struct ResponseStream: AsyncSequence, Sendable {
    private let source: Locked<(any ResponsePieces)?>

    /// A body from a transport.
    public init(_ source: any ResponsePieces) {
        self.source = Locked(source)
    }

    /// A body in memory.
    public init(_ bytes: [UInt8]) {
        self.init(BytesInMemory(bytes))
    }

    /// Reads the whole body into memory.
    ///
    /// - Parameter limit: The most bytes to accept.
    /// - Returns: The bytes.
    /// - Throws: `.noUsableAnswer(.tooLarge)` over the limit; otherwise the reason why the body did not come.
    public func collect(upTo limit: Int) async throws(TransportError) -> [UInt8] {
        var iterator = makeAsyncIterator()
        var all: [UInt8] = []
        while let piece = try await iterator.next() {
            // rule: an answer that is collected is bounded
            guard all.count + piece.count <= limit else { throw .noUsableAnswer(.tooLarge) }
            if all.isEmpty { all = piece } else { all += piece }
        }
        return all
    }

    /// Reads the body piece by piece.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// Nil for a second iterator.
        let source: (any ResponsePieces)?

        /// The next piece, never empty; nil at the end.
        ///
        /// - Returns: The bytes that have come, at most about 80 KiB.
        /// - Throws: See `ResponsePieces`; a second iterator has nothing but `.noUsableAnswer(.refusedLocally)`.
        public mutating func next() async throws(TransportError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        /// The next piece, never empty; nil at the end.
        ///
        /// - Parameter actor: The actor that the caller is isolated to.
        /// - Returns: The bytes that have come, at most about 80 KiB.
        /// - Throws: See `next()`.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(TransportError) -> [UInt8]? {
            guard let source else { throw .noUsableAnswer(.refusedLocally) }
            return try await source.next()
        }
    }

    /// The iterator, which the body has once.
    public func makeAsyncIterator() -> AsyncIterator {
        // rule: a body has one iterator | source.withLock { $0 }
        let source = source.withLock { $0.take() }
        return AsyncIterator(source: source)
    }
}

/// A body that is one piece in memory.
private final class BytesInMemory: ResponsePieces {
    private let rest: Locked<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Locked(bytes)
    }

    func next() async throws(TransportError) -> [UInt8]? {
        guard !Task.isCancelled else { throw .cancelled }
        return rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }
}
