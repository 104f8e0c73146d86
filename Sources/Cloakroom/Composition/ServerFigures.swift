internal import BFF

/// Numbers of a running server at one instant; meant for metrics.
public struct ServerFigures: Sendable, Equatable {
    /// The event streams that are open now: a gauge.
    public let eventStreams: Int
    /// The sessions that were bound to a device since the start: a counter.
    public let devicesBound: Int
    /// The device cookies that proofs have renewed since the start: a counter.
    public let deviceRenewals: Int
    /// The registrations and proofs of devices that were refused for good since the start: a counter.
    public let deviceRefusals: Int

    init(_ backend: Backend) {
        let devices = backend.deviceCounts.values
        eventStreams = backend.eventStreams.count
        devicesBound = devices.bound
        deviceRenewals = devices.renewed
        deviceRefusals = devices.refused
    }
}
