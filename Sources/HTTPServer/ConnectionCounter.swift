internal import Basics

/// Counts connections, all together and for each peer.
final class ConnectionCounter: Sendable {
    private struct State {
        var total = 0
        var peers: [ArraySlice<UInt8>: Int] = [:]
    }

    private let state = Locked(State())
    private let limit: Int
    private let peerLimit: Int

    /// - Parameters:
    ///   - limit: For all peers together.
    ///   - peerLimit: For one peer; 0 for none.
    init(limit: Int, peerLimit: Int) {
        self.limit = limit
        self.peerLimit = peerLimit
    }

    /// Counts a connection in; false when there are too many.
    func enter(_ peer: PeerAddress) -> Bool {
        state.withLock { state in
            guard state.total < limit else { return false }
            if peerLimit > 0 {
                guard state.peers[peer.group, default: 0] < peerLimit else { return false }
                state.peers[peer.group, default: 0] += 1
            }
            state.total += 1
            return true
        }
    }

    /// Counts a connection out.
    func leave(_ peer: PeerAddress) {
        state.withLock { state in
            state.total -= 1
            guard peerLimit > 0, let count = state.peers[peer.group] else { return }
            state.peers[peer.group] = count > 1 ? count - 1 : nil
        }
    }
}

extension PeerAddress {
    /// What counts as one peer: an IPv4 address, or the /64 of an IPv6 address, which is what one customer has.
    var group: ArraySlice<UInt8> { bytes.prefix(family == .v6 ? 8 : 4) }
}
