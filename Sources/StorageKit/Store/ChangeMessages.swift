/// Messages that a store may have, by which those who wait for another process need not ask again and again.
///
/// A message says that it is worth looking again, not what changed. What is over by the clock, a session, a field or a
/// lease at its end, sends none, and a connection that breaks may lose some: whoever waits looks now and then besides.
public protocol ChangeMessages: Sendable {
    /// Messages about a subject from now on, the changes of this process and of others that share the store.
    ///
    /// It returns when the store listens: whoever then reads has read a change or gets its message. Changes in close
    /// succession may be one message, a message may come without a change, and the writer's own changes are told too. A
    /// store that may have lost messages sends one about every subject. The subscription ends with the stream or the task
    /// that reads it; the stream ends when the store is closed or can send no more.
    ///
    /// - Throws: `.unavailable`.
    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void>
}

/// What a store sends messages about.
public enum StoreSubject: Hashable, Sendable {
    /// A session: fields were set or deleted, or it was ended.
    case session(SessionKey)
    /// The lease of this name: it was released.
    case lease(String)
}
