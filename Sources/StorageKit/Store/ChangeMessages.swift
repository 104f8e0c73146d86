/// An optional ability of a store: messages about changes, so that waiting for another process needs no polling.
///
/// A message says that it is worth reading again, not what changed. A session, field or lease that expires sends no
/// message, and a broken connection may lose some: a waiting task must also poll now and then.
public protocol ChangeMessages: Sendable {
    /// Subscribes to messages about a subject: changes by this process and by others that share the store.
    ///
    /// It returns once the store listens: a read after that sees an earlier change, and later changes send a message.
    /// Changes in close succession may share one message, a message may come without a change, and the writer's own
    /// changes are reported too. A store that may have lost messages sends one about every subject. The subscription
    /// ends with the stream or the task that reads it; the stream ends when the store is closed or can send no more.
    ///
    /// - Throws: `.unavailable`.
    func changes(of subject: StoreSubject) async throws(StoreError) -> AsyncStream<Void>
}

/// The things that a store sends messages about.
public enum StoreSubject: Hashable, Sendable {
    /// A session: fields were set or deleted, or it was ended.
    case session(SessionKey)
    /// The lease of this name: it was released.
    case lease(String)
}
