public import Basics

/// The exclusive right to do something for some time.
public struct Lease: Sendable, Equatable {
    /// The name that is claimed.
    public let name: String
    /// A fencing number that grows with every claim in the store, of any name: of two holders, the lower number is
    /// outdated.
    public let fence: UInt64
    /// The instant at which the lease expires unless it is renewed.
    public let expires: Timestamp

    /// Makes a lease, for back ends.
    public init(name: String, fence: UInt64, expires: Timestamp) {
        self.name = name
        self.fence = fence
        self.expires = expires
    }
}
