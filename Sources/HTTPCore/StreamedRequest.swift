internal import Basics

/// A request whose answer is read piece by piece, and whose own body may be sent piece by piece.
public struct StreamedRequest: Sendable {
    /// The request; its `body` is empty if there is an `upload`.
    public var request: ClientRequest
    /// The body that is sent piece by piece; nil sends that of `request`.
    public var upload: RequestStream?
    /// The longest wait for the peer: to take a byte of the request, or to send one of the answer; 30 s by default.
    ///
    /// The time during which the reader of the answer or the source of the upload is awaited does not count: only the
    /// deadline of the exchange bounds it.
    public var idleTime = Duration.seconds(30)

    /// Makes a streamed request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - upload: Its body; nil for that of `request`.
    public init(_ request: ClientRequest, upload: RequestStream? = nil) {
        (self.request, self.upload) = (request, upload)
    }
}

/// A request body that is sent piece by piece, as a sequence gives it.
public struct RequestStream: Sendable {
    /// Takes one piece, and returns when there is room for the next.
    public typealias Taker = @Sendable ([UInt8]) async throws(TransportError) -> Void

    /// The exact number of bytes of all pieces; nil sends chunks.
    public let length: Int?
    private let run: @Sendable (_ take: Taker) async throws -> Void

    /// Makes a body of a sequence.
    ///
    /// The sequence is read in a task that is cancelled when the exchange ends early; it has to end then. Nothing is
    /// read of it before the request has a connection, so a request that was not reached has left it untouched. Once
    /// the request has a connection, the sequence is read until it ends, or is asked for a piece in the cancelled task:
    /// the producer of an `AsyncStream` is always told that it is over. An error of the sequence, and more or fewer
    /// bytes than `length`, end the exchange with `.invalidRequest`.
    ///
    /// - Parameters:
    ///   - pieces: The body; empty pieces are passed over.
    ///   - length: The number of bytes of all pieces, 0 or more; nil for chunks.
    public init<Pieces: AsyncSequence & Sendable>(_ pieces: Pieces, length: Int?) where Pieces.Element == [UInt8] {
        precondition(length ?? 0 >= 0, "a length is not negative")
        self.length = length
        run = { take in
            var source = pieces.makeAsyncIterator()
            while let piece = try await source.next() {
                do {
                    try await take(piece)
                } catch {
                    // A source learns of a cancellation while it is asked for a piece.
                    if Task.isCancelled { _ = try? await source.next() }
                    throw error
                }
            }
        }
    }

    /// Reads the body, for a transport.
    ///
    /// - Parameter take: Gets each piece; an error that it throws ends the reading. A transport that throws one waits
    ///   for its task to be cancelled first, so that the source is told.
    /// - Throws: The error of the sequence, or of `take`.
    public func forEach(_ take: Taker) async throws {
        try await run(take)
    }
}

extension HTTPTransport {
    /// Answers a streamed request by `send`, with both bodies in memory: for transports that have nothing to stream.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - limit: The most bytes of an upload.
    ///   - deadline: As of `send`.
    /// - Returns: The answer, whose body is one piece.
    /// - Throws: As `send` does; `.notReached(.refusedLocally)` for an upload that is too long, and
    ///   `.notReached(.invalidRequest)` for one that fails or has another length than it says.
    public func sendBuffered(
        _ request: StreamedRequest, upTo limit: Int = 4_194_304, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> StreamedResponse {
        var whole = request.request
        if let upload = request.upload {
            guard whole.body.isEmpty else { throw .notReached(.invalidRequest) }
            let collected = Locked<[UInt8]>([])
            do {
                try await upload.forEach { piece throws(TransportError) in
                    try collected.withLock { bytes throws(TransportError) in
                        // rule: an upload that is collected is bounded
                        guard bytes.count + piece.count <= limit else { throw .notReached(.refusedLocally) }
                        bytes += piece
                    }
                }
            } catch let error as TransportError {
                throw error
            } catch {
                throw Task.isCancelled ? .cancelled : .notReached(.invalidRequest)
            }
            whole.body = collected.withLock { $0 }
            guard upload.length ?? whole.body.count == whole.body.count else { throw .notReached(.invalidRequest) }
        }
        let answer = try await send(whole, deadline: deadline)
        return StreamedResponse(status: answer.status, fields: answer.fields, body: ResponseStream(answer.body))
    }
}
