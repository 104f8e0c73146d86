internal import Basics

/// What runs on an `EventThread`: its watches, timers and stop handlers.
///
/// Not Sendable: only a job, a handler or a timer of the thread gets hold of it, so the compiler keeps it there.
/// Nothing called from here may wait; everything on the thread waits with it.
public final class Loop {
    private struct Watch {
        var interest: DescriptorReadiness
        let generation: UInt32
        let handler: (Loop, DescriptorReadiness) -> Void
    }

    private let poller: Poller
    private var watches: [Int32: Watch] = [:]
    private var generation: UInt32 = 0
    private var timers = TimerQueue<(Loop) -> Void>()
    private var stopHandlers: [(id: StopHandlerID, run: (Loop) -> Void)] = []
    private var lastStopHandler: UInt64 = 0

    init(poller: Poller) {
        self.poller = poller
    }

    // MARK: Descriptors

    /// Calls the handler each turn in which the descriptor is ready, until `unwatch`.
    ///
    /// Watching a descriptor again replaces interest and handler. An empty interest keeps the handler and reports
    /// nothing. Unwatch before closing: the number of a closed descriptor may belong to another file at once.
    ///
    /// - Throws: `.unavailable` when epoll takes no more descriptors, or none of this kind.
    public func watch(
        _ descriptor: Int32, for interest: DescriptorReadiness, _ handler: @escaping (Loop, DescriptorReadiness) -> Void
    ) throws(EventThreadError) {
        generation &+= 1
        let watch = Watch(interest: interest, generation: generation, handler: handler)
        let previous = watches.updateValue(watch, forKey: descriptor)?.interest ?? []
        do {
            try apply(interest, to: descriptor, generation: generation, previous: previous)
        } catch {
            watches[descriptor] = nil
            throw error
        }
    }

    /// Changes what a watched descriptor is watched for; one that is not watched is left alone.
    ///
    /// - Throws: `.unavailable` as for `watch`.
    public func change(_ descriptor: Int32, to interest: DescriptorReadiness) throws(EventThreadError) {
        guard let watch = watches[descriptor], watch.interest != interest else { return }
        try apply(interest, to: descriptor, generation: watch.generation, previous: watch.interest)
        watches[descriptor]?.interest = interest
    }

    /// Forgets a descriptor; no event of it is delivered after this, not even one of the current turn.
    public func unwatch(_ descriptor: Int32) {
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        poller.remove(descriptor)
    }

    private func apply(
        _ interest: DescriptorReadiness, to descriptor: Int32, generation: UInt32, previous: DescriptorReadiness
    ) throws(EventThreadError) {
        // epoll reports errors and hang-ups even where nothing is asked for: a turn without end.
        if interest.isEmpty { return poller.remove(descriptor) }
        // An event fetched for a descriptor that was closed and whose number was taken again in the same turn reaches nobody.
        let token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        let code = poller.set(descriptor, interest.epollEvents, token: token, isNew: previous.isEmpty)
        guard code == 0 else { throw .unavailable(code: code) }
    }

    // MARK: Timers

    /// Calls the action once, at the instant or up to a millisecond and one turn later.
    public func schedule(at due: ContinuousClock.Instant, _ action: @escaping (Loop) -> Void) -> TimerID {
        timers.insert(due: due, action)
    }

    /// Takes a timer back.
    ///
    /// - Returns: Whether it was still pending.
    @discardableResult
    public func cancel(_ timer: TimerID) -> Bool {
        timers.remove(timer) != nil
    }

    // MARK: Stop

    /// Calls the handler when the thread stops, the last added first; it lets go of everything that still waits.
    public func onStop(_ handler: @escaping (Loop) -> Void) -> StopHandlerID {
        lastStopHandler += 1
        let id = StopHandlerID(value: lastStopHandler)
        stopHandlers.append((id, handler))
        return id
    }

    /// Takes a stop handler back.
    public func removeStopHandler(_ id: StopHandlerID) {
        stopHandlers.removeAll { $0.id == id }
    }

    // MARK: Turns

    /// Runs what is due, waits for events, delivers them.
    ///
    /// - Parameter mayWait: False when jobs were posted meanwhile.
    func turn(mayWait: () -> Bool) {
        let now = ContinuousClock.now
        while let action = timers.popDue(at: now) { action(self) }
        poller.wait(timeout: mayWait() ? timeout() : 0) { token, events in
            let descriptor = Int32(truncatingIfNeeded: token)
            guard let watch = watches[descriptor], watch.generation == UInt32(token >> 32) else { return }
            let ready = DescriptorReadiness(epollEvents: events, asked: watch.interest)
            if !ready.isEmpty { watch.handler(self, ready) }
        }
    }

    func stop() {
        while let handler = stopHandlers.popLast() { handler.run(self) }
        for descriptor in watches.keys { poller.remove(descriptor) }
        watches = [:]
        timers = TimerQueue()
    }

    /// Milliseconds until the next timer, rounded up so that no turn is spent on waiting for the rest.
    private func timeout() -> Int32 {
        guard let due = timers.nextDue else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: due).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3600 { return 3_600_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Names one stop handler of one loop.
public struct StopHandlerID: Hashable, Sendable {
    let value: UInt64
}
