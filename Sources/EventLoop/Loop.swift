internal import Basics

/// The event loop of one `EventThread`: its watches, timers and stop handlers.
///
/// Not Sendable: only jobs, handlers and timers of the thread receive it, so the compiler keeps it there. Code called
/// from here must not block, because it would block everything on the thread.
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

    /// Calls the handler in each turn in which the descriptor is ready, until `unwatch`.
    ///
    /// Watching a descriptor again replaces interest and handler. An empty interest keeps the handler and reports
    /// nothing. Unwatch before closing, because the number of a closed descriptor may be reused at once.
    ///
    /// - Throws: `.unavailable` when epoll accepts no more descriptors, or no descriptor of this kind.
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

    /// Changes the events that a descriptor is watched for; does nothing for an unwatched descriptor.
    ///
    /// - Throws: `.unavailable`, as `watch` does.
    public func change(_ descriptor: Int32, to interest: DescriptorReadiness) throws(EventThreadError) {
        guard let watch = watches[descriptor], watch.interest != interest else { return }
        try apply(interest, to: descriptor, generation: watch.generation, previous: watch.interest)
        watches[descriptor]?.interest = interest
    }

    /// Stops watching a descriptor; none of its events is delivered after this, not even an event of the current turn.
    public func unwatch(_ descriptor: Int32) {
        guard watches.removeValue(forKey: descriptor) != nil else { return }
        poller.remove(descriptor)
    }

    private func apply(
        _ interest: DescriptorReadiness, to descriptor: Int32, generation: UInt32, previous: DescriptorReadiness
    ) throws(EventThreadError) {
        // epoll reports errors and hang-ups even for an empty interest, which would spin the loop.
        if interest.isEmpty { return poller.remove(descriptor) }
        // The generation discards events fetched for a descriptor that was closed and whose number was reused in the
        // same turn.
        let token = UInt64(generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        let code = poller.set(descriptor, interest.epollEvents, token: token, isNew: previous.isEmpty)
        guard code == 0 else { throw .unavailable(code: code) }
    }

    // MARK: Timers

    /// Calls the action once, at the instant or up to a millisecond and one turn later.
    public func schedule(at due: ContinuousClock.Instant, _ action: @escaping (Loop) -> Void) -> TimerID {
        timers.insert(due: due, action)
    }

    /// Cancels a timer.
    ///
    /// - Returns: True if the timer was still pending.
    @discardableResult
    public func cancel(_ timer: TimerID) -> Bool {
        timers.remove(timer) != nil
    }

    // MARK: Stop

    /// Adds a handler that runs when the thread stops, the last added first; it ends everything that still waits.
    public func onStop(_ handler: @escaping (Loop) -> Void) -> StopHandlerID {
        lastStopHandler += 1
        let id = StopHandlerID(value: lastStopHandler)
        stopHandlers.append((id, handler))
        return id
    }

    /// Removes a stop handler.
    public func removeStopHandler(_ id: StopHandlerID) {
        stopHandlers.removeAll { $0.id == id }
    }

    // MARK: Turns

    /// Runs due timers, waits for events, delivers them.
    ///
    /// - Parameter mayWait: Returns false if jobs were posted meanwhile.
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

    /// Milliseconds until the next timer, rounded up so that no extra turn waits for the remainder.
    private func timeout() -> Int32 {
        guard let due = timers.nextDue else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: due).components
        if seconds < 0 || attoseconds < 0 { return 0 }
        if seconds >= 3600 { return 3_600_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}

/// Identifies one stop handler of one loop.
public struct StopHandlerID: Hashable, Sendable {
    let value: UInt64
}
