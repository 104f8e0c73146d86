internal import Cryptography
internal import JSON

/// Registers a credential of the browser, or signs in with one.
struct PasskeyJourney: SimulatedJourney {
    /// The task of the journey.
    enum Kind {
        /// Asks for name and password, then for a new credential.
        case registration
        /// Asks for a name, then for a signature of that user's credential; or for a recovery code.
        case authentication
        /// Asks for name and password, or for a passkey by the browser's autofill.
        case autofill
        /// Asks for name and password, then by scripts for a new credential, or for a signature if the user has one.
        case legacy
    }

    let kind: Kind

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.place = "name"
        var page = LoginJourney.page(services)
        switch kind {
        case .registration, .legacy: break
        case .authentication:
            page = SimulatedPage(stage: "Passkey", header: "Sign in")
            page.addName()
        case .autofill: question(&run, with: services).addAuthentication(to: &page, mediation: "conditional")
        }
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        switch run.place {
        case "name": return name(answers, in: &run, with: services)
        case "code":
            // The recovery code is the same for all users; generating codes is another journey's task.
            guard let user = run.user, answers.text(0) == services.settings.oneTimeCode else { return .refused }
            return .success(user: user, level: 1, amr: [run.journey])
        default: return outcome(answers, in: &run, with: services)
        }
    }

    /// The turn after the first page.
    private func name(
        _ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices
    ) -> JourneyTurn {
        if kind == .autofill {
            switch question(of: run, services).authenticate(answers.text(3)) {
            case .untouched: break
            case let outcome: return end(outcome, run)
            }
        }
        if kind == .authentication {
            run.user = answers.text(0)
        } else {
            let (name, failure) = LoginJourney.check(answers, services)
            if let failure { return failure }
            run.user = name
        }
        guard let user = run.user, kind != .autofill else {
            return .success(user: run.user ?? "", level: 0, amr: [run.journey])
        }
        var page = SimulatedPage(stage: "WebAuthn")
        run.place = "credential"
        let isKnown = !services.directory.credentials.ids(of: user).isEmpty
        let question = question(&run, with: services)
        switch kind {
        case .registration: question.addRegistration(to: &page, user)
        case .legacy:
            run.place = isKnown ? "credential" : "registration"
            question.addScripts(to: &page, registering: isKnown ? nil : user)
        case .authentication, .autofill:
            // AM also sends this message for a user without a device.
            guard isKnown else { return .failure(.custom(message: "No device is registered", detail: [:])) }
            question.addAuthentication(to: &page)
            page.addConfirmation(["Use Recovery Code"], chosen: 100)
        }
        return .page(page)
    }

    /// The turn after the page that requests a credential.
    private func outcome(
        _ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices
    ) -> JourneyTurn {
        guard let user = run.user else { return .refused }
        let question = question(of: run, services)
        switch kind {
        case .registration: return end(question.register(answers.text(1), user), run)
        case .legacy where run.place == "registration": return end(question.register(answers.text(2), user), run)
        case .legacy: return end(question.authenticate(answers.text(2)), run)
        case .authentication, .autofill:
            let outcome = question.authenticate(answers.text(1))
            if case .unsupported = outcome { return code(&run) }
            return answers.index(2) == 0 ? code(&run) : end(outcome, run)
        }
    }

    private func code(_ run: inout JourneyRun) -> JourneyTurn {
        run.place = "code"
        var page = SimulatedPage(stage: "RecoveryCode", header: "Use a recovery code")
        page.addPassword("Recovery Code")
        return .page(page)
    }

    private func end(_ outcome: CredentialQuestion.Outcome, _ run: JourneyRun) -> JourneyTurn {
        func failure(_ message: String) -> JourneyTurn { .failure(.custom(message: message, detail: [:])) }
        return switch outcome {
        case .credential(let user): .success(user: user, level: 1, amr: [run.journey])
        case .untouched: failure("The credential was not asked for")
        case .unsupported: failure("The browser has no credentials")
        case .error(let name): failure("The browser says \(name)")
        case .refused(let what): failure("The credential is not accepted: \(what)")
        }
    }

    /// Makes a credential request with a new challenge.
    private func question(_ run: inout JourneyRun, with services: JourneyServices) -> CredentialQuestion {
        run.challenge = SecureRandom.bytes(32)
        return question(of: run, services)
    }

    /// The credential request of the run's last page.
    private func question(of run: JourneyRun, _ services: JourneyServices) -> CredentialQuestion {
        CredentialQuestion(
            relyingParty: services.elsewhere?.call.relyingParty(services.settings) ?? "localhost",
            challenge: run.challenge,
            store: services.directory.credentials, user: kind == .autofill ? nil : run.user, isWrapped: kind != .legacy)
    }
}
