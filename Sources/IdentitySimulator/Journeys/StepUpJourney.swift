internal import JSON

/// A one-time code that raises the session to level 3 and adds `biometric` to its `amr`.
///
/// Who is signed in is taken from the session; without one, or when it `asksUser`, name and password come first.
struct StepUpJourney: Journey {
    var asksUser = false

    func begin(_ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        guard !asksUser, let session = world.session else {
            run.place = "password"
            return .page(LoginJourney.page(world))
        }
        run.user = session.user
        return code(&run)
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        if run.place == "password" {
            let (name, failure) = LoginJourney.check(answers, world)
            if let failure { return failure }
            run.user = name
            return code(&run)
        }
        guard let user = run.user, answers.text(0) == world.settings.oneTimeCode else { return .refused }
        return .success(
            user: user, level: 3, amr: asksUser || world.session == nil ? ["Login", "biometric"] : ["biometric"])
    }

    private func code(_ run: inout JourneyRun) -> JourneyTurn {
        run.place = "code"
        var page = JourneyPage(
            stage: "OneTimePassword", header: "Confirm it is you", description: "Enter the code that you were sent.")
        page.addPassword("One Time Password")
        return .page(page)
    }
}
