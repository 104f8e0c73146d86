internal import Basics

/// Who has brought good tokens lately, so that a flood of made-up ones does not keep others from being believed.
///
/// Two generations, as in the cache of tokens: nothing is ever searched for the oldest.
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
