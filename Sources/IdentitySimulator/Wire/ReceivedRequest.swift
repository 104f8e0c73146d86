public import HTTPServer
public import HTTPTypes

/// A request as the simulator got it, kept for tests when `SimulatorSettings.keepsRequests` says so.
public struct ReceivedRequest: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// Path and query, undecoded.
    public let target: String
    /// The fields.
    public let headers: RequestHeaders
    /// The body.
    public let body: [UInt8]
}
