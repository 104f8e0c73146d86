internal import Basics
package import Orchestrate

/// The error of a sign-off without a stored session.
package struct NoSessionError: Error {
    /// Makes the error.
    package init() {}
}

extension SignOffReport {
    /// Records failures of a sign-off's modules with tokens and stores.
    ///
    /// - Parameter failures: The failures of the modules.
    /// - Returns: `hadSession` is true if there was a session; `unsent` is why the request that ends it was not sent,
    ///   nil if it was sent.
    package mutating func note(_ failures: [EngineError]) -> (hadSession: Bool, unsent: EngineError?) {
        var (hadSession, unsent): (Bool, EngineError?) = (true, nil)
        for failure in failures {
            switch failure {
            case .moduleFailed(_, is NoSessionError): hadSession = false
            case .moduleFailed(_, TokenSignOffError.noTokens): tokens = .nothing
            case .moduleFailed(_, TokenSignOffError.notRevoked(let cause)):
                tokens = .failed(.moduleFailed(.signOff, cause))
            case .moduleFailed(_, let error as StorageError):
                stores.append(error)
                unsent = unsent ?? failure
            default: unsent = unsent ?? failure
            }
        }
        return (hadSession, unsent)
    }
}
