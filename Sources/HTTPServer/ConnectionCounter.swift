internal import Basics

/// Counts connections, in total and for each peer.
final class ConnectionCounter: Sendable {
    private struct State {
        var total = 0
        var peers: [ArraySlice<UInt8>: Int] = [:]
    }

    /// The number of connections that may be counted in above a limit, to replace connections that are being closed.
    static func overlap(of limit: Int) -> Int { min(64, max(4, limit / 4)) }

    private let state = Locked(State())
    private let limit: Int
    private let overlap: Int
    private let peerLimit: Int
    private let isProxy: @Sendable (PeerAddress) -> Bool

    /// Makes a counter without connections.
    ///
    /// - Parameters:
    ///   - limit: The most connections of all peers together.
    ///   - peerLimit: The most connections of one peer; 0 for no limit.
    ///   - isProxy: True for peers that `peerLimit` does not bind; the answer for a peer may change over time.
    init(limit: Int, peerLimit: Int, isProxy: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
        self.limit = limit
        overlap = Self.overlap(of: limit)
        self.peerLimit = peerLimit
        self.isProxy = isProxy
    }

    /// Counts a connection in, unless there are too many.
    ///
    /// - Parameters:
    ///   - peer: The peer of the connection.
    ///   - makesRoom: Called when the connection exceeds the limit: hangs up another connection, which is counted out
    ///     soon; false when there is none to hang up.
    /// - Returns: False when there are too many connections; then this one is not counted.
    func enter(_ peer: PeerAddress, makesRoom: () -> Bool) -> Bool {
        let isBound = isBound(peer)
        let isBeyond = state.withLock { state -> Bool? in
            if isBound, state.peers[peer.group, default: 0] >= peerLimit { return nil }
            guard state.total < limit + overlap else { return nil }
            // A proxy's connection is counted too: when it is counted out, the peer may not be a proxy any more.
            state.peers[peer.group, default: 0] += 1
            state.total += 1
            return state.total > limit
        }
        guard let isBeyond else { return false }
        if !isBeyond || makesRoom() { return true }
        leave(peer)
        return false
    }

    /// Counts a connection out.
    func leave(_ peer: PeerAddress) {
        state.withLock { state in
            state.total -= 1
            guard let count = state.peers[peer.group] else { return }
            state.peers[peer.group] = count > 1 ? count - 1 : nil
        }
    }

    /// True if every connection that was counted in has been counted out.
    var isEmpty: Bool { state.withLock { $0.total == 0 } }

    private func isBound(_ peer: PeerAddress) -> Bool { peerLimit > 0 && !isProxy(peer) }
}

extension PeerAddress {
    /// The bytes that identify one peer: an IPv4 address, or the /64 of an IPv6 address, which is what one customer
    /// has.
    var group: ArraySlice<UInt8> { bytes.prefix(family == .v6 ? 8 : 4) }
}
