internal import Basics

/// Counts connections, all together and for each peer.
final class ConnectionCounter: Sendable {
    private struct State {
        var total = 0
        var peers: [ArraySlice<UInt8>: Int] = [:]
    }

    /// How many may be counted in beyond a limit, in the place of connections that are on their way out.
    static func overlap(of limit: Int) -> Int { min(64, max(4, limit / 4)) }

    private let state = Locked(State())
    private let limit: Int
    private let overlap: Int
    private let peerLimit: Int
    private let isProxy: @Sendable (PeerAddress) -> Bool

    /// Counts nothing yet.
    ///
    /// - Parameters:
    ///   - limit: For all peers together.
    ///   - peerLimit: For one peer; 0 for none.
    ///   - isProxy: Peers that `peerLimit` does not bind; may answer otherwise from one time to the next.
    init(limit: Int, peerLimit: Int, isProxy: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
        self.limit = limit
        overlap = Self.overlap(of: limit)
        self.peerLimit = peerLimit
        self.isProxy = isProxy
    }

    /// Counts a connection in.
    ///
    /// - Parameters:
    ///   - peer: Where it comes from.
    ///   - makesRoom: Asked at the limit, when a place beyond it is taken: hangs another connection up, which is counted out
    ///     soon; false when none can go.
    /// - Returns: False when there are too many.
    func enter(_ peer: PeerAddress, makesRoom: () -> Bool) -> Bool {
        let isBound = isBound(peer)
        let isBeyond = state.withLock { state -> Bool? in
            if isBound, state.peers[peer.group, default: 0] >= peerLimit { return nil }
            guard state.total < limit + overlap else { return nil }
            // Counted though not bound: by the time that it leaves it may be no proxy any more.
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

    /// Whether every connection that was counted in is counted out.
    var isEmpty: Bool { state.withLock { $0.total == 0 } }

    private func isBound(_ peer: PeerAddress) -> Bool { peerLimit > 0 && !isProxy(peer) }
}

extension PeerAddress {
    /// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address, which is what one customer has.
    var group: ArraySlice<UInt8> { bytes.prefix(family == .v6 ? 8 : 4) }
}
