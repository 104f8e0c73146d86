public import Basics

/// The exclusive right to do something for some time.
public struct Lease: Sendable, Equatable {
    /// The name that is claimed.
    public let name: String
    /// A fencing number that grows with every claim in the store, of any name: of two holders, the lower number is
    /// outdated.
    ///
    /// A server that lost its data starts again at the time in milliseconds, which is larger than the earlier numbers if
    /// the clocks agree and fewer than a thousand claims came in each second.
    public let fence: UInt64
    /// The instant at which the lease expires unless it is renewed.
    public let expires: Timestamp
    /// Random text of this one claim, for a back end whose claims may be sent twice; empty for the others.
    public let owner: String

    /// Makes a lease, for back ends.
    public init(name: String, fence: UInt64, expires: Timestamp, owner: String = "") {
        self.name = name
        self.fence = fence
        self.expires = expires
        self.owner = owner
    }
}
