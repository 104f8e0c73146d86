internal import Basics

/// The peers that have recently sent valid tokens.
///
/// For their tokens an unknown key may be fetched even if the allowed fetches are used up, so that a flood of forged
/// tokens does not keep tokens with a new key from being accepted.
///
/// Two generations, as in the token cache: no insertion searches for the oldest entry.
final class ProvenPeers: Sendable {
    private struct State {
        var young: Set<String> = []
        var old: Set<String> = []
        var since: Timestamp
    }

    private static let bound = 1024
    private static let generation = Duration.seconds(3600)

    private let state: Locked<State>
    private let time: any TimeSource

    init(_ time: any TimeSource) {
        self.time = time
        state = Locked(State(since: time.now()))
    }

    func insert(_ peer: String?) {
        guard let peer else { return }
        let now = time.now()
        state.withLock { state in
            if state.young.count >= Self.bound || now >= state.since + Self.generation {
                state.old = state.young
                state.young = []
                state.since = now
            }
            state.young.insert(peer)
        }
    }

    func contains(_ peer: String?) -> Bool {
        guard let peer else { return false }
        return state.withLock { $0.young.contains(peer) || $0.old.contains(peer) }
    }
}
