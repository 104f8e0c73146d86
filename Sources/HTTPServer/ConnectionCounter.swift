internal import Basics

/// Counts connections, all together and for each peer.
final class ConnectionCounter: Sendable {
    /// What becomes of a connection.
    enum Entry {
        /// It is counted in.
        case entered
        /// There are too many in all: one has to go first.
        case full
        /// There are too many, whichever goes.
        case refused
    }

    private struct State {
        var total = 0
        var peers: [ArraySlice<UInt8>: Int] = [:]
    }

    /// How many may be counted in beyond the limit, in the place of connections that are on their way out.
    static let overlap = 64

    private let state = Locked(State())
    private let limit: Int
    private let peerLimit: Int
    private let isProxy: @Sendable (PeerAddress) -> Bool

    /// Counts nothing yet.
    ///
    /// - Parameters:
    ///   - limit: For all peers together.
    ///   - peerLimit: For one peer; 0 for none.
    ///   - isProxy: Peers that `peerLimit` does not bind.
    init(limit: Int, peerLimit: Int, isProxy: @escaping @Sendable (PeerAddress) -> Bool = { _ in false }) {
        self.limit = limit
        self.peerLimit = peerLimit
        self.isProxy = isProxy
    }

    /// Counts a connection in.
    ///
    /// - Parameters:
    ///   - peer: Where it comes from.
    ///   - instead: Whether another one goes for it and will be counted out soon.
    /// - Returns: What becomes of it.
    func enter(_ peer: PeerAddress, instead: Bool = false) -> Entry {
        let isBound = isBound(peer)
        return state.withLock { state in
            if isBound, state.peers[peer.group, default: 0] >= peerLimit { return .refused }
            guard state.total < (instead ? limit + Self.overlap : limit) else { return instead ? .refused : .full }
            if isBound { state.peers[peer.group, default: 0] += 1 }
            state.total += 1
            return .entered
        }
    }

    /// Counts a connection out.
    func leave(_ peer: PeerAddress) {
        let isBound = isBound(peer)
        state.withLock { state in
            state.total -= 1
            guard isBound, let count = state.peers[peer.group] else { return }
            state.peers[peer.group] = count > 1 ? count - 1 : nil
        }
    }

    private func isBound(_ peer: PeerAddress) -> Bool { peerLimit > 0 && !isProxy(peer) }
}

extension PeerAddress {
    /// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address, which is what one customer has.
    var group: ArraySlice<UInt8> { bytes.prefix(family == .v6 ? 8 : 4) }
}
