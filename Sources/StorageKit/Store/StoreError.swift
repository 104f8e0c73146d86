/// Why a store did not do what it was asked for.
public enum StoreError: Error, Sendable, Equatable {
    /// The expectation for this field did not hold, or, with an empty name, the session exists that should be created.
    /// Nothing was written.
    case conflict(field: String)
    /// The session is unknown, expired or ended. Nothing was written.
    case gone
    /// A bound of the store is reached: sessions, bytes or entries. Nothing was written.
    case full
    /// The store cannot be asked at the moment. Whether a write took effect is unknown.
    case unavailable
}
