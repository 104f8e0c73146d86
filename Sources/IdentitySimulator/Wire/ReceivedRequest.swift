package import HTTPCore
package import HTTPServer

/// A request as the simulator got it, kept for tests when `SimulatorSettings.keepsRequests` says so.
package struct ReceivedRequest: Sendable {
    /// The method of the request.
    package let method: HTTPMethod
    /// Path and query, undecoded.
    package let target: String
    /// The header fields, as received.
    package let headers: RequestHeaders
    /// The body, as received.
    package let body: [UInt8]
}
