internal import Synchronization

/// Enforces the time limits of all connections, and ends connections whose clients have closed their side.
///
/// Runs on a thread of its own and sleeps while there are no connections.
final class Reaper: Sendable {
    /// Milliseconds between two rounds.
    static let interval: UInt64 = 100
    private let core: ListenerCore
    private let hasEnded = Atomic<Bool>(false)

    init(_ core: ListenerCore) {
        self.core = core
    }

    /// Makes `run` return at its next round.
    func end() {
        hasEnded.store(true, ordering: .sequentiallyConsistent)
        core.watch.wake()
    }

    func run() {
        var nextRound: UInt64 = 0
        while !hasEnded.load(ordering: .sequentiallyConsistent) {
            var now = MonotonicClock.now()
            var timeout = Int32(clamping: nextRound > now ? nextRound - now : 0)
            if timeout == 0 {
                let connections = core.registry.all
                for connection in connections { connection.reap(now) }
                nextRound = now + Self.interval
                timeout = connections.isEmpty ? -1 : Int32(Self.interval)
            }
            core.watch.wait(milliseconds: timeout) { id in
                now = MonotonicClock.now()
                core.registry[id]?.noticeDisconnect(now)
            }
        }
    }
}
