/// Takes the pieces of a streamed response body.
public struct ResponseWriter: Sendable {
    let channel: ResponseChannel

    /// Sends a piece; returns when there is room for the next one, so that memory stays flat with a slow client.
    ///
    /// - Parameter chunk: Any number of bytes.
    /// - Throws: Why nothing more can be sent; the function that writes should end.
    public func write(_ chunk: [UInt8]) async throws(WriteError) {
        try await channel.write(chunk)
    }
}

/// Why a streamed response cannot go on.
public enum WriteError: Error, Sendable, Equatable {
    /// The client went away or read too slowly.
    case disconnected
    /// The calling task was cancelled.
    case cancelled
    /// More bytes than the declared length.
    case tooLong
}
