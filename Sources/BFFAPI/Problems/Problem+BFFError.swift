internal import BFF

extension Problem {
    /// The problem of an operation's error; no other code translates one into the other.
    ///
    /// - Parameters:
    ///   - error: The error.
    ///   - base: The path of the instance's operations; empty for calls that concern no flow.
    init(_ error: BFFError, at base: String = "") {
        switch error {  // no default: a new case must choose its problem here
        case .unknownInstance: self.init(ProblemType.unknownInstance)
        case .tooManyAccounts: self.init(ProblemType.tooManyAccounts)
        case .signedOut, .signInEnded: self.init(ProblemType.signedOut)
        case .logoutTokenRefused: self.init(ProblemType.invalidLogoutToken)
        case .unknownSession: self.init(ProblemType.unknownSession)
        case .notAllowed(let member):
            self.init(.notAllowed, member: member.rawValue, .notAllowed)
            // Only clients without links refuse one so.
            if member.isLink {
                fields[0].message = "A client of this product opens no links: a user who comes back brings a handle."
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
            self.node = NodeDocument.document(node, at: base)
        case .noPendingReturn: self.init(ProblemType.noPendingReturn)
        case .malformed(let field, let isWrongType):
            self.init(.malformed, member: field, isWrongType ? .wrongType : .outOfRange)
        case .repeated(let field): self.init(.malformed, member: field, .repeated)
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
        case .deviceProofRequired: self.init(ProblemType.deviceProofRequired)
        case .deviceProofMissing:
            self.init(ProblemType.deviceProofMissing)
            retryAfter = .seconds(5)
        case .deviceRequired: self.init(ProblemType.deviceRequired)
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
