package import HTTPCore
package import HTTPServer

/// A request as received, kept for tests if `SimulatorSettings.keepsRequests` is set.
package struct ReceivedRequest: Sendable {
    /// The method of the request.
    package let method: HTTPMethod
    /// Path and query, not decoded.
    package let target: String
    /// The header fields, as received.
    package let headers: RequestHeaders
    /// The body, as received.
    package let body: [UInt8]
}
