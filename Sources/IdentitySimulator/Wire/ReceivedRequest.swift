public import HTTPCore
public import HTTPServer

/// A request as the simulator got it, kept for tests when `SimulatorSettings.keepsRequests` says so.
public struct ReceivedRequest: Sendable {
    /// The method.
    public let method: HTTPMethod
    /// Path and query, undecoded.
    public let target: String
    /// The fields.
    public let headers: RequestHeaders
    /// The body.
    public let body: [UInt8]
}
