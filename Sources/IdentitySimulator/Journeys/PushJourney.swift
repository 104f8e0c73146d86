internal import Basics
internal import JSON

/// Sign-in, then a push to a device, whose answer takes time and depends on the user.
///
/// `alice` is approved by the sixth poll in time, `bob` is denied, and every other user is approved as soon as
/// `Polling` ends. Leaving and polling too early too often are branches of their own: both lead to a one-time code.
struct PushJourney: SimulatedJourney {
    /// The number of tolerated early polls; one more counts as spam.
    private static let tolerated = 3

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.place = "password"
        return .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        switch run.place {
        case "password":
            let (name, failure) = LoginJourney.check(answers, services)
            if let failure { return failure }
            run.user = name
            run.place = "device"
            return wait(&run, with: services)
        case "device": return ask(answers, in: &run, with: services)
        default:
            guard let user = run.user, answers.text(1) == services.settings.oneTimeCode else { return .refused }
            return .success(user: user, level: 1, amr: ["OneTimeCode"])
        }
    }

    private func ask(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn
    {
        if answers.index(1) == 0 { return code("Sign in with a code instead.", &run) }
        guard answers.index(1) == 100, let user = run.user else { return .refused }
        if let from = run.pollFrom, services.now < from {
            run.earlyPolls += 1
            if run.earlyPolls > Self.tolerated { return code("The device was asked too often.", &run) }
            return .page(page(run, services))
        }
        run.polls += 1
        switch user {
        case "bob": return .failure(.refused)
        case "alice" where run.polls < 6: return wait(&run, with: services)
        case _ where run.polls < services.settings.pollsNeeded: return wait(&run, with: services)
        default: return .success(user: user, level: 1, amr: ["Push"])
        }
    }

    private func wait(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.pollFrom = services.now + services.settings.pollingWait
        return .page(page(run, services))
    }

    private func page(_ run: JourneyRun, _ services: JourneyServices) -> SimulatedPage {
        var page = SimulatedPage(stage: "Push", header: "Confirm on your device")
        page.add(
            "PollingWaitCallback",
            [
                "waitTime": .string(String(services.settings.pollingWait.milliseconds)),
                "message": run.polls == 0 ? "Your device was asked." : "Still waiting for your device.",
            ])
        page.addConfirmation(["Use a code"], chosen: 100)
        return page
    }

    private func code(_ message: String, _ run: inout JourneyRun) -> JourneyTurn {
        run.place = "code"
        var page = SimulatedPage(stage: "OneTimePassword", header: "Enter a code")
        page.addText(message)
        page.addPassword("One Time Password")
        return .page(page)
    }
}
