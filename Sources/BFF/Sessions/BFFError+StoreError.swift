import StorageKit

extension BFFError {
    /// Turns an error of the store into one for the caller; a conflict after every attempt means that the store is
    /// busy.
    init(_ error: StoreError) {
        switch error {
        case .gone: self = .signedOut
        case .conflict: self = .storeUnavailable(retryAfter: .seconds(1))
        case .full, .unavailable: self = .storeUnavailable(retryAfter: .seconds(5))
        }
    }
}
