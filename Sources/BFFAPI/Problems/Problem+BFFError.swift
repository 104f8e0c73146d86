internal import BFF

extension Problem {
    /// The problem of an operation's error; no other code translates one into the other.
    init(_ error: BFFError) {
        switch error {  // no default: a new case must choose its problem here
        case .unknownInstance: self.init(ProblemType.unknownInstance)
        case .tooManyAccounts: self.init(ProblemType.tooManyAccounts)
        case .signedOut: self.init(ProblemType.signedOut)
        case .notAllowed(let field):
            self.init(.notAllowed, member: field, .notAllowed)
            // Only clients without links refuse these members.
            if [StartRequest.suspendedID, StartRequest.uri].contains(field) {
                fields[0].message = "A DaVinci client opens no links: who comes back to one brings a handle."
            }
        case .invalidAnswers(let problems):
            self.init(ProblemType.invalidAnswers)
            fields = problems
        case .tooManyAttempts(let wait):
            self.init(ProblemType.tooManyRequests)
            retryAfter = wait
        case .flowExpired: self.init(ProblemType.flowExpired)
        case .staleStep(let node):
            self.init(ProblemType.staleStep)
            self.node = NodeDocument.document(node)
        case .noPendingReturn: self.init(ProblemType.noPendingReturn)
        case .malformed(let field): self.init(.malformed, member: field, .outOfRange)
        case .stepInProgress:
            self.init(ProblemType.stepInProgress)
            retryAfter = .seconds(1)
        case .sessionChanged:
            self.init(ProblemType.sessionChanged)
            retryAfter = .seconds(1)
        case .subjectChanged: self.init(ProblemType.subjectChanged)
        case .confirmationNeeded(let question):
            self.init(
                .subjectChanged,
                "The link signs in another user, who takes the place of the one signed in once that is confirmed.")
            confirmation = question
        case .stepUpRequired(let offer):
            self.init(ProblemType.stepUpRequired)
            stepUp = offer
        case .stepUpUnavailable: self.init(ProblemType.stepUpUnavailable)
        case .stepUpFailed: self.init(ProblemType.stepUpFailed)
        case .interactionNeeded: self.init(ProblemType.interactionNeeded)
        case .providerUnavailable(let wait):
            self.init(ProblemType.providerUnavailable)
            retryAfter = wait
        case .providerRefused: self.init(ProblemType.providerRefused)
        case .storeUnavailable(let wait):
            self.init(ProblemType.storeUnavailable)
            retryAfter = wait
        case .cancelled:
            self.init(ProblemType.interrupted)
            retryAfter = .seconds(1)
        }
    }
}
