/// What an audit line tells: an event and its outcome, both of closed sets (docs/audit.md).
package enum AuditEvent: Sendable, Equatable {
    /// A flow, or a start that needed no page, came to its end.
    case signIn(SignInResult)
    /// A stronger sign-in was asked for, or its flow came to its end.
    case stepUp(StepUpResult)
    /// A rule of the configuration refused a call of the API or to a route.
    case call(CallResult)
    /// Tokens were to be renewed at the provider.
    case refresh(RefreshResult)
    /// The browser had tokens of an instance revoked.
    case revoke(RevocationOutcome)
    /// The browser signed out.
    case logout(RevocationOutcome)
    /// The server gave a user's consent, as its settings say.
    case consent(ConsentResult)
    /// The server ended tokens by a rule of its own.
    case end(RevocationOutcome)
    /// A caller was turned away before anything was looked up.
    case caller(CallerResult)
    /// Somebody seems to guess.
    case guessing(GuessResult)
    /// Somebody who runs the server did something with it.
    case admin(AdminAct)

    /// How a sign-in ended.
    package enum SignInResult: String, Sendable, CaseIterable {
        /// The user is signed in.
        case done
        /// The provider signed nobody in.
        case failed
        /// The provider signed somebody in whom a rule of ours does not take.
        case refused
        /// A link signs another user in; it waits for the browser to confirm that.
        case asked
        /// The browser never came with the cookie that the sign-in brought.
        case undone
    }

    /// What became of a step-up.
    package enum StepUpResult: String, Sendable, CaseIterable {
        /// The browser was told how to begin it.
        case offered
        /// The flow of a transaction began.
        case begun
        /// The user is as strongly signed in as was asked.
        case met
        /// The flow ended without that.
        case missed
        /// The flow of a transaction ended; the API decides about it at the next call.
        case answered
    }

    /// What a rule did with a call.
    package enum CallResult: String, Sendable, CaseIterable {
        /// It was not done.
        case refused
    }

    /// What became of a renewal.
    package enum RefreshResult: String, Sendable, CaseIterable {
        /// There are new tokens.
        case done
        /// The provider could not, or would not, renew now; what there is stays.
        case failed
        /// The tokens are over and were forgotten.
        case ended
    }

    /// What became of a consent.
    package enum ConsentResult: String, Sendable, CaseIterable {
        /// The provider took it.
        case given
    }

    /// What became of a caller.
    package enum CallerResult: String, Sendable, CaseIterable {
        /// It was turned away.
        case denied
    }

    /// What was done about guesses.
    package enum GuessResult: String, Sendable, CaseIterable {
        /// The provider refused more answers of a flow than it may; the flow is over.
        case flowEnded = "flow-ended"
        /// A name was tried more often than its rate lets.
        case nameLimited = "name-limited"
    }

    /// What was done with the server.
    package enum AdminAct: String, Sendable, CaseIterable {
        /// It began to listen.
        case started
        /// It took other settings over.
        case reloaded
        /// It was stopped.
        case stopped
    }

    /// Every event with every outcome, in the order of the page.
    package static let all: [AuditEvent] =
        SignInResult.allCases.map(Self.signIn) + StepUpResult.allCases.map(Self.stepUp)
        + CallResult.allCases.map(Self.call) + RefreshResult.allCases.map(Self.refresh)
        + RevocationOutcome.allCases.map(Self.revoke) + RevocationOutcome.allCases.map(Self.logout)
        + ConsentResult.allCases.map(Self.consent) + RevocationOutcome.allCases.map(Self.end)
        + CallerResult.allCases.map(Self.caller)
        + GuessResult.allCases.map(Self.guessing) + AdminAct.allCases.map(Self.admin)

    /// What the line calls the event, and its outcome.
    package var words: (event: String, outcome: String) {
        switch self {
        case .signIn(let result): ("sign-in", result.rawValue)
        case .stepUp(let result): ("step-up", result.rawValue)
        case .call(let result): ("call", result.rawValue)
        case .refresh(let result): ("refresh", result.rawValue)
        case .revoke(let result): ("revoke", result.rawValue)
        case .logout(let result): ("logout", result.rawValue)
        case .consent(let result): ("consent", result.rawValue)
        case .end(let result): ("end", result.rawValue)
        case .caller(let result): ("caller", result.rawValue)
        case .guessing(let result): ("guessing", result.rawValue)
        case .admin(let act): ("admin", act.rawValue)
        }
    }

    /// Whether one caller may bring it about as often as it likes: then equal ones are counted and told once a minute.
    var isCounted: Bool {
        switch self {
        case .stepUp(.offered), .call, .caller, .refresh(.failed), .guessing(.nameLimited): true
        default: false
        }
    }

    /// Whether somebody should look at it now; its line is a warning.
    var isAlarm: Bool { if case .guessing = self { true } else { false } }
}
