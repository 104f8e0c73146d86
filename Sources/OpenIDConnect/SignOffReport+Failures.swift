internal import Basics
package import Orchestrate

extension SignOffReport {
    /// Records failures of a sign-off's modules with tokens and stores.
    ///
    /// - Parameters:
    ///   - failures: The failures of the modules.
    ///   - isNoSession: Returns true for an error of a product's module which means that there was no session.
    /// - Returns: `hadSession` is true if there was a session; `unsent` is why the request that ends it was not sent,
    ///   nil if it was sent.
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
