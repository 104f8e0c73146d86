/// The body of a request: collected at once or read chunk by chunk.
///
/// Single use: one reader reads it once. The listener throws away the part that the reader leaves unread.
public struct RequestBody: Sendable {
    enum Source: Sendable {
        case bytes([UInt8])
        case channel(RequestReader)
    }

    let source: Source
    /// The length that the client declared; nil for a chunked body.
    public let contentLength: Int?

    /// A body in memory.
    ///
    /// - Parameter bytes: The whole body.
    public init(_ bytes: [UInt8]) {
        source = .bytes(bytes)
        contentLength = bytes.count
    }

    init(_ channel: RequestReader, contentLength: Int?) {
        source = .channel(channel)
        self.contentLength = contentLength
    }

    /// The body of a request that has none.
    public static let empty = RequestBody([])

    /// Reads the whole body into memory.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to accept; a declared length over it is refused before any byte is read.
    ///   - mayKeep: Called before each chunk is kept, with the number of bytes including it; false ends the reading,
    ///     and the result is the bytes before that chunk. Not called for a body that is in memory already.
    /// - Returns: The bytes; empty when there is no body.
    /// - Throws: `.tooLarge` over the limit; otherwise the reason why the body did not come.
    public func collect(
        upTo limit: Int, _ mayKeep: (_ count: Int) -> Bool = { _ in true }
    ) async throws(BodyError) -> [UInt8] {
        if let contentLength, contentLength > limit { throw .tooLarge }
        switch source {
        case .bytes(let bytes): return bytes
        case .channel(let channel):
            var all = [UInt8]()
            if let contentLength { all.reserveCapacity(Swift.min(contentLength, 65_536)) }
            while let chunk = try await channel.next() {
                guard all.count + chunk.count <= limit else { throw .tooLarge }
                guard mayKeep(all.count + chunk.count) else { return all }
                if all.isEmpty { all = chunk } else { all.append(contentsOf: chunk) }
            }
            return all
        }
    }
}

extension RequestBody: AsyncSequence {
    /// Reads the body chunk by chunk, with back-pressure: the client is held back while no chunk is requested.
    public struct AsyncIterator: AsyncIteratorProtocol {
        var rest: [UInt8]?
        let channel: RequestReader?

        /// The next chunk, never empty; nil at the end.
        ///
        /// - Returns: The bytes that have come: less than 64 KiB plus one read of the connection.
        /// - Throws: The reason why the rest of the body did not come.
        public mutating func next() async throws(BodyError) -> [UInt8]? {
            try await next(isolation: nil)
        }

        /// The next chunk, never empty; nil at the end.
        ///
        /// - Parameter actor: The actor that the caller is isolated to.
        /// - Returns: The bytes that have come: less than 64 KiB plus one read of the connection.
        /// - Throws: The reason why the rest of the body did not come.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(BodyError) -> [UInt8]? {
            if let channel { return try await channel.next() }
            defer { rest = nil }
            return rest
        }
    }

    /// An iterator over the chunks.
    public func makeAsyncIterator() -> AsyncIterator {
        switch source {
        case .bytes(let bytes): AsyncIterator(rest: bytes.isEmpty ? nil : bytes, channel: nil)
        case .channel(let channel): AsyncIterator(rest: nil, channel: channel)
        }
    }
}
