/// The event and the outcome of an audit line, both of closed sets (docs/audit.md).
package enum AuditEvent: Sendable, Equatable {
    /// A flow, or a start that needed no page, ended.
    case signIn(SignInResult)
    /// A step-up was offered, or its flow ended.
    case stepUp(StepUpResult)
    /// A rule of the configuration refused a call of the API or to a route.
    case call(CallResult)
    /// The server tried to renew tokens at the provider.
    case refresh(RefreshResult)
    /// The browser had tokens of an instance revoked.
    case revoke(RevocationOutcome)
    /// The browser signed out.
    case logout(RevocationOutcome)
    /// The server gave a user's consent, as its settings say.
    case consent(ConsentResult)
    /// The server ended tokens by a rule of its own.
    case end(RevocationOutcome)
    /// Sign-ins were ended without their cookie: by the provider, an operator or the user in another session.
    case remoteEnd(RemoteEndResult)
    /// A caller was refused before anything was looked up.
    case caller(CallerResult)
    /// A caller seems to guess answers or names.
    case guessing(GuessResult)
    /// A session was bound to a device, or the device's proof was refused.
    case device(DeviceResult)
    /// An operator did something with the server.
    case admin(AdminAct)

    /// The outcome of a sign-in.
    package enum SignInResult: String, Sendable, CaseIterable {
        /// The user is signed in.
        case done
        /// The provider did not sign the user in.
        case failed
        /// The provider signed a user in, but a rule of this server does not accept the sign-in.
        case refused
        /// A link signs another user in; the sign-in waits for the browser to confirm it.
        case asked
        /// The browser never came with the cookie that the sign-in brought.
        case undone
    }

    /// The outcome of a step-up.
    package enum StepUpResult: String, Sendable, CaseIterable {
        /// The browser was told how to begin it.
        case offered
        /// The flow of a transaction began.
        case begun
        /// The user is signed in as strongly as was asked.
        case met
        /// The flow ended without the sign-in that was asked for.
        case missed
        /// The flow of a transaction ended; the API decides about the transaction at the next call.
        case answered
    }

    /// The outcome of a call that a rule stopped.
    package enum CallResult: String, Sendable, CaseIterable {
        /// The call was refused.
        case refused
    }

    /// The outcome of a renewal.
    package enum RefreshResult: String, Sendable, CaseIterable {
        /// The provider gave new tokens.
        case done
        /// The provider could not, or would not, renew the tokens now; the old tokens stay.
        case failed
        /// The tokens have ended and were forgotten.
        case ended
    }

    /// The outcome of a consent.
    package enum ConsentResult: String, Sendable, CaseIterable {
        /// The provider accepted the consent.
        case given
    }

    /// The outcome of an end without the cookie.
    package enum RemoteEndResult: String, Sendable, CaseIterable {
        /// A sign-in was ended.
        case ended
        /// There was no such sign-in.
        case unmatched
        /// The demand was refused.
        case refused
    }

    /// The outcome for a caller.
    package enum CallerResult: String, Sendable, CaseIterable {
        /// The caller was refused.
        case denied
    }

    /// The measures against guesses.
    package enum GuessResult: String, Sendable, CaseIterable {
        /// The provider refused more answers of a flow than are allowed; the flow is over.
        case flowEnded = "flow-ended"
        /// A name was tried more often than its rate allows.
        case nameLimited = "name-limited"
    }

    /// The outcome of a device's proof.
    package enum DeviceResult: String, Sendable, CaseIterable {
        /// The session is bound to the device from now on.
        case bound
        /// A proof for a bound session was of another key, or failed a check.
        case refused
    }

    /// The acts of an operator, and their effect on the server.
    package enum AdminAct: String, Sendable, CaseIterable {
        /// The server began to listen.
        case started
        /// The server loaded other settings.
        case reloaded
        /// The server was stopped.
        case stopped
    }

    /// Every event with every outcome, in the order of docs/audit.md.
    package static let all: [AuditEvent] =
        SignInResult.allCases.map(Self.signIn) + StepUpResult.allCases.map(Self.stepUp)
        + CallResult.allCases.map(Self.call) + RefreshResult.allCases.map(Self.refresh)
        + RevocationOutcome.allCases.map(Self.revoke) + RevocationOutcome.allCases.map(Self.logout)
        + ConsentResult.allCases.map(Self.consent) + RevocationOutcome.allCases.map(Self.end)
        + RemoteEndResult.allCases.map(Self.remoteEnd)
        + CallerResult.allCases.map(Self.caller)
        + GuessResult.allCases.map(Self.guessing) + DeviceResult.allCases.map(Self.device)
        + AdminAct.allCases.map(Self.admin)

    /// The names of the event and of its outcome in the line.
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
        case .remoteEnd(let result): ("remote-end", result.rawValue)
        case .caller(let result): ("caller", result.rawValue)
        case .guessing(let result): ("guessing", result.rawValue)
        case .device(let result): ("device", result.rawValue)
        case .admin(let act): ("admin", act.rawValue)
        }
    }

    /// True if one caller may cause the event as often as it likes; equal events are then counted and written once a
    /// minute.
    var isCounted: Bool {
        switch self {
        case .stepUp(.offered), .call, .caller, .refresh(.failed), .remoteEnd(.refused), .guessing(.nameLimited),
            .device(.refused):
            true
        default: false
        }
    }

    /// True if an operator should look at the event now; its line is a warning.
    var isAlarm: Bool {
        switch self {
        case .guessing, .device(.refused): true
        default: false
        }
    }
}
