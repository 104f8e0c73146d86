internal import JSON

/// Asks for a one-time code that raises the session to level 3 and adds `biometric` to its `amr`.
///
/// The user is the session's user; without a session, or if the journey `asksUser`, name and password come first.
struct StepUpJourney: SimulatedJourney {
    var asksUser = false

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard !asksUser, let session = services.session else {
            run.place = "password"
            return .page(LoginJourney.page(services))
        }
        run.user = session.user
        return code(&run)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        if run.place == "password" {
            let (name, failure) = LoginJourney.check(answers, services)
            if let failure { return failure }
            run.user = name
            return code(&run)
        }
        guard let user = run.user, answers.text(0) == services.settings.oneTimeCode else { return .refused }
        return .success(
            user: user, level: 3, amr: asksUser || services.session == nil ? ["Login", "biometric"] : ["biometric"])
    }

    private func code(_ run: inout JourneyRun) -> JourneyTurn {
        run.place = "code"
        var page = SimulatedPage(
            stage: "OneTimePassword", header: "Confirm it is you", description: "Enter the code that you were sent.")
        page.addPassword("One Time Password")
        return .page(page)
    }
}
