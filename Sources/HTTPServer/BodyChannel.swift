/// The way of a request body from the connection's thread to its reader.
final class BodyChannel: Sendable {
    func next() async throws(BodyError) -> [UInt8]? { throw .disconnected }
}
