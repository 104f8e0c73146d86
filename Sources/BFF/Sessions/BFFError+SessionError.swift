import Sessions
import StorageKit

extension BFFError {
    /// Turns an error of a session into one for the caller.
    init(_ error: SessionError) {
        switch error {
        case .ended: self = .signedOut
        case .busy: self = .storeUnavailable(retryAfter: .seconds(1))
        case .unavailable: self = .storeUnavailable(retryAfter: .seconds(5))
        }
    }

    /// Turns an error of the store into one for the caller; a conflict after every attempt means that the store is
    /// busy.
    init(_ error: StoreError) { self.init(SessionError(error)) }
}
