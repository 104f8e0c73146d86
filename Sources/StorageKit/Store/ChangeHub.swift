internal import Basics
internal import Synchronization

/// Hands change messages to the subscribers of this process, each with a bounded buffer.
package final class ChangeHub: Sendable {
    private struct Subscriber {
        weak var mailbox: Mailbox?
    }

    private struct State {
        var subscribers: [Subscriber] = []
        var closed = false
    }

    private let state = Locked(State())
    private let count = Atomic(0)
    private let capacity: Int

    /// A hub without subscribers; at most `capacity` messages wait for each.
    package init(capacity: Int) {
        self.capacity = max(capacity, 1)
    }

    /// Whether a message would reach anybody; lets writers skip making one.
    package var isHeard: Bool { count.load(ordering: .relaxed) > 0 }

    /// Messages from now on; the stream ends when the hub is closed or its reader cancelled.
    package func subscribe() -> AsyncStream<StoreChange> {
        let mailbox = Mailbox(capacity: capacity)
        let closed = state.withLock { state -> Bool in
            guard !state.closed else { return true }
            state.subscribers.append(Subscriber(mailbox: mailbox))
            count.store(state.subscribers.count, ordering: .relaxed)
            return false
        }
        if closed { mailbox.close() }
        return AsyncStream {
            await mailbox.next()
        } onCancel: {
            mailbox.close()
        }
    }

    /// Sends a message to everyone who still holds a stream.
    package func send(_ change: StoreChange) {
        guard isHeard else { return }
        let mailboxes = state.withLock { state -> [Mailbox] in
            let mailboxes = state.subscribers.compactMap(\.mailbox)
            if mailboxes.count < state.subscribers.count {
                state.subscribers.removeAll { $0.mailbox == nil }
                count.store(state.subscribers.count, ordering: .relaxed)
            }
            return mailboxes
        }
        for mailbox in mailboxes { mailbox.send(change) }
    }

    /// Ends all streams, those to come as well.
    package func close() {
        let mailboxes = state.withLock { state -> [Mailbox] in
            state.closed = true
            defer { state.subscribers = [] }
            count.store(0, ordering: .relaxed)
            return state.subscribers.compactMap(\.mailbox)
        }
        for mailbox in mailboxes { mailbox.close() }
    }
}
