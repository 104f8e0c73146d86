/// The way of a streamed response body from its writer to the connection's thread.
final class ResponseChannel: Sendable {
    func write(_ chunk: [UInt8]) async throws(WriteError) { throw .disconnected }
}
