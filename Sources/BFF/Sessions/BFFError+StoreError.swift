import StorageKit

extension BFFError {
    /// What a failing store means to the caller; a conflict that remains after every attempt is a busy store.
    init(_ error: StoreError) {
        switch error {
        case .gone: self = .signedOut
        case .conflict: self = .storeUnavailable(retryAfter: .seconds(1))
        case .full, .unavailable: self = .storeUnavailable(retryAfter: .seconds(5))
        }
    }
}
