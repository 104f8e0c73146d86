internal import Basics
package import Orchestrate

extension SignOffReport {
    /// Notes what the modules of a sign-off could not do with tokens and stores.
    ///
    /// - Parameters:
    ///   - failures: What went wrong.
    ///   - isNoSession: Whether an error of a product's module says that there was no session.
    /// - Returns: Whether there was a session, and why the request that ends it was not sent, where it was not.
    package mutating func note(
        _ failures: [EngineError], _ isNoSession: (any Error) -> Bool
    ) -> (hadSession: Bool, unsent: EngineError?) {
        var (hadSession, unsent): (Bool, EngineError?) = (true, nil)
        for failure in failures {
            switch failure {
            case .moduleFailed(_, let error) where isNoSession(error): hadSession = false
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
