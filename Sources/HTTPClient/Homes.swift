internal import Basics
internal import EventLoop
internal import Synchronization

/// The event threads of a transport and the engine on each; empty once the transport is shut down.
final class Homes: Sendable {
    /// One event thread and the engine on it.
    struct Home: Sendable {
        let thread: EventThread
        let engine: LoopBound<TransferEngine>

        /// Runs the body with the engine: at once on its own thread, as a job from another.
        ///
        /// - Returns: False if the thread has stopped, and the body does not run.
        @discardableResult
        func run(_ body: @escaping @Sendable (TransferEngine) -> Void) -> Bool {
            if thread.isCurrent, let loop = Loop.current {
                body(engine.value(on: loop))
                return true
            }
            return thread.post { loop in body(engine.value(on: loop)) }
        }
    }

    private let list = Locked<[Home]>([])

    func set(_ homes: [Home]) {
        list.withLock { $0 = homes }
    }

    /// All of them.
    var all: [Home] { list.withLock { $0 } }

    /// Takes all of them.
    ///
    /// The engines refer to this object, so it must be emptied before they can be freed.
    func removeAll() -> [Home] {
        list.withLock { list in
            defer { list = [] }
            return list
        }
    }

    /// The home of a new exchange: the calling thread's own, or the next in turn; nil after the shutdown.
    func choose(_ turn: borrowing Atomic<Int>) -> (index: Int, home: Home)? {
        let homes = list.withLock { $0 }
        guard !homes.isEmpty else { return nil }
        let index =
            homes.firstIndex { $0.thread.isCurrent }
            ?? Int(UInt(bitPattern: turn.wrappingAdd(1, ordering: .relaxed).oldValue) % UInt(homes.count))
        return (index, homes[index])
    }

    /// Starts an exchange, which has a place, on its own thread.
    ///
    /// A thread that has stopped has ended all its exchanges, or is about to.
    func resume(_ exchange: ClientExchange) {
        guard let home = list.withLock({ $0.indices.contains(exchange.home) ? $0[exchange.home] : nil }) else { return }
        home.thread.post { loop in home.engine.value(on: loop).resume(exchange) }
    }
}
