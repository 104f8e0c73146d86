package import StorageKit

/// The reason that a session was not opened, read or changed.
package enum SessionError: Error, Sendable, Equatable {
    /// The session has ended.
    case ended
    /// Other writers were faster in every attempt.
    case busy
    /// The store cannot be asked or is full, or this process does not have the server key of the ticket.
    case unavailable
}

extension SessionError {
    /// Restates an error of the store.
    package init(_ error: StoreError) {
        switch error {
        case .gone: self = .ended
        case .conflict: self = .busy
        case .full, .unavailable: self = .unavailable
        }
    }
}
