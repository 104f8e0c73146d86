internal import BFF

extension Problem {
    /// What an operation's error is in HTTP: the one place where the two meet.
    init(_ error: BFFError) {
        switch error {  // no default: a new case must choose its problem here
        case .unknownInstance: self.init(.unknownInstance)
        case .tooManyAccounts: self.init(.tooManyAccounts)
        case .signedOut: self.init(.signedOut)
        case .notAllowed(let field): self.init(.notAllowed, member: field, .notAllowed)
        case .invalidAnswers(let problems):
            self.init(.invalidAnswers)
            fields = problems
        case .flowExpired: self.init(.flowExpired)
        case .staleStep(let node):
            self.init(.staleStep)
            self.node = node
        case .stepInProgress:
            self.init(.stepInProgress)
            retryAfter = .seconds(1)
        case .sessionChanged: self.init(.sessionChanged)
        case .subjectChanged: self.init(.subjectChanged)
        case .interactionNeeded: self.init(.interactionNeeded)
        case .providerUnavailable(let wait):
            self.init(.providerUnavailable)
            retryAfter = wait
        case .providerRefused: self.init(.providerRefused)
        case .storeUnavailable(let wait):
            self.init(.storeUnavailable)
            retryAfter = wait
        case .cancelled:
            self.init(.interrupted)
            retryAfter = .seconds(1)
        }
    }
}
