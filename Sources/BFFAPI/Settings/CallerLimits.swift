/// Limits of one caller's calls, event streams and bytes in flight, so that no caller takes the capacity that all share.
///
/// A peer is a client address, of IPv6 its /64; behind a listed proxy it is the address that the proxy names, and a
/// proxy that names none is not a peer.
package struct CallerLimits: Sendable, Equatable {
    /// The most calls to APIs of one peer, without those of signed-in sessions; `server.limits.callsPerPeer`, 0 for no
    /// limit, default 48.
    ///
    /// Fewer than a route's default limit, so that one address alone makes no route busy.
    package var callsPerPeer = 48
    /// The most calls to APIs of one browser session; `server.limits.callsPerSession`, 0 for no limit, default 32.
    package var callsPerSession = 32
    /// The range of `callsPerPeer` and `callsPerSession`.
    package static let callRange = 0...10_000
    /// The most event streams of all callers, never more than half of the listener's connections;
    /// `server.limits.events`, 1 to 100,000, default 2048.
    package var events = 2048
    /// The range of `events`.
    package static let eventRange = 1...100_000
    /// The most event streams of one peer; `server.limits.eventsPerPeer`, 0 for no limit, default 256.
    package var eventsPerPeer = 256
    /// The range of `eventsPerPeer`.
    package static let eventPeerRange = 0...100_000
    /// The most bytes of bodies held in memory for all callers: of calls until the API has them, of answers until they
    /// are sent; `server.limits.held`, 1 MiB to 64 GiB, default 256 MiB.
    package var held = 256 << 20
    /// Like `held`, for one peer; `server.limits.heldPerPeer`, default 32 MiB.
    package var heldPerPeer = 32 << 20
    /// Like `held`, for one browser session; `server.limits.heldPerSession`, default 16 MiB.
    package var heldPerSession = 16 << 20
    /// The range of `held`, `heldPerPeer` and `heldPerSession`.
    package static let heldRange = 1 << 20...64 << 30

    /// Limits with every default.
    package init() {}
}
