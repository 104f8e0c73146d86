/// What one caller may have under way at a time, so that nobody takes what all share.
///
/// A peer is a client address, of IPv6 its /64; behind a listed proxy the one that the proxy says, and a proxy that says
/// none is no peer.
package struct CallerLimits: Sendable, Equatable {
    /// Calls to APIs of one peer, but for those of signed-in sessions; `server.limits.callsPerPeer`, 0 for no limit, default 48.
    ///
    /// Fewer than a route takes at a time, so that one address alone makes no route busy.
    package var callsPerPeer = 48
    /// Calls to APIs of one browser session; `server.limits.callsPerSession`, 0 for no limit, default 32.
    package var callsPerSession = 32
    /// What both may be.
    package static let callRange = 0...10_000
    /// Bytes of bodies that are kept in memory for callers, in all: of calls to APIs until these have them, of answers until
    /// they have left; `server.limits.held`, 1 MiB to 64 GiB, default 256 MiB.
    package var held = 256 << 20
    /// The same for one peer; `server.limits.heldPerPeer`, default 32 MiB.
    package var heldPerPeer = 32 << 20
    /// The same for one browser session; `server.limits.heldPerSession`, default 16 MiB.
    package var heldPerSession = 16 << 20
    /// What the three may be.
    package static let heldRange = 1 << 20...64 << 30

    /// Limits with every default.
    package init() {}
}
