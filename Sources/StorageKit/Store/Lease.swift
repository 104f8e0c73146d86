public import Basics

/// The right to do something alone for a while.
public struct Lease: Sendable, Equatable {
    /// The name of what is claimed.
    public let name: String
    /// Grows with every claim in the store, whatever its name; of two holders the one with the lower number is late.
    public let fence: UInt64
    /// When the lease is lost unless it is renewed.
    public let expires: Timestamp

    /// A lease, as a back end makes it.
    public init(name: String, fence: UInt64, expires: Timestamp) {
        self.name = name
        self.fence = fence
        self.expires = expires
    }
}
