internal import Basics
internal import EventLoop

/// Hangs up the connections that have been without a complete request for longest, on all event threads of a listener.
///
/// Connections without a complete head go first, then connections with a body in flight: a flood of bodies that are
/// never sent to their end must not keep all other clients out.
struct OldestConnections: Sendable {
    /// The place of a connection in the order in which connections are hung up.
    struct Age: Sendable, Comparable {
        /// True if the head is complete and the body in flight.
        let isReceiving: Bool
        /// When the connection began to wait for a head, or its body was first seen in flight.
        let since: UInt64
        /// The number of the connection, which decides between connections of one millisecond.
        let number: UInt64

        static func < (one: Age, other: Age) -> Bool {
            if one.isReceiving != other.isReceiving { return other.isReceiving }
            return (one.since, one.number) < (other.since, other.number)
        }
    }

    /// How long the acceptor waits for the event threads; a thread that is held that long has no say.
    private static let patience = Duration.milliseconds(100)

    private let daemons: [Daemon]

    init(_ daemons: [Daemon]) {
        self.daemons = daemons
    }

    /// Hangs up connections; blocks until the event threads have done that, so it is for the acceptor's thread.
    ///
    /// A thread whose connection has become busy meanwhile hangs up its next one.
    ///
    /// - Parameter count: The most connections to hang up.
    /// - Returns: The number of connections that were hung up, as far as is known in time.
    func drop(upTo count: Int) -> Int {
        let ages = ask({ _ in true }) { daemon, _ in daemon.oldest(upTo: count) }
        let chosen = ages.enumerated().flatMap { place, ages in (ages ?? []).map { (age: $0, place: place) } }
            .sorted { $0.age < $1.age }.prefix(count)
        guard !chosen.isEmpty else { return 0 }
        var shares = Array(repeating: 0, count: daemons.count)
        for choice in chosen { shares[choice.place] += 1 }
        return ask({ shares[$0] > 0 }) { [shares] daemon, place in daemon.dropOldest(upTo: shares[place]) }
            .reduce(0) { $0 + ($1 ?? 0) }
    }

    /// Runs the body for some of the daemons, by their places, on their event threads.
    ///
    /// - Returns: The results in the order of the daemons; nil for one that was not asked, and for a thread that has
    ///   ended or took too long.
    private func ask<Result: Sendable>(
        _ isAsked: (Int) -> Bool, _ body: @escaping @Sendable (Daemon, Int) -> Result
    ) -> [Result?] {
        let results = Monitor((left: daemons.count, values: [Result?](repeating: nil, count: daemons.count)))
        for (place, daemon) in daemons.enumerated() {
            let isPosted =
                isAsked(place)
                && daemon.thread.post { _ in
                    let result = body(daemon, place)
                    results.change { state in
                        state.left -= 1
                        state.values[place] = result
                    }
                }
            if !isPosted { results.change { $0.left -= 1 } }
        }
        return results.wait(atMost: Self.patience) { $0.left == 0 ? $0.values : nil } ?? results.change { $0.values }
    }
}
