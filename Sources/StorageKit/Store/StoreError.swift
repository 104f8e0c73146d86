/// Why a store operation failed.
public enum StoreError: Error, Sendable, Equatable {
    /// The expectation for this field did not hold; with an empty name, the session to be created already exists.
    /// Nothing was written.
    case conflict(field: String)
    /// The session is unknown, expired or ended. Nothing was written.
    case gone
    /// A bound of the store is reached: sessions, bytes or entries. Nothing was written.
    case full
    /// The store cannot be reached at the moment. A write may or may not have taken effect.
    case unavailable
}
