/// Something that others may hold a copy of has changed.
public enum StoreChange: Sendable, Equatable {
    /// The session was ended by `destroy`. Expiry sends nothing: every reader sees it by the clock.
    case sessionGone(SessionKey)
    /// These fields were set or deleted.
    case recordsChanged(SessionKey, [String])
    /// Messages were lost because the subscriber was slow or the connection broke; nothing that is cached can be trusted.
    case missed
}
