internal import Basics
internal import JSON

/// Sign-in, then a wait that the client polls and the user can leave.
struct PollingJourney: SimulatedJourney {
    /// The number of tolerated early polls; one more ends the journey.
    private static let tolerated = 3

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.place = "password"
        return .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        if run.place == "password" {
            let (name, failure) = LoginJourney.check(answers, services)
            if let failure { return failure }
            run.user = name
            run.place = "waiting"
            return wait(&run, with: services)
        }
        // 100 means that no option is chosen; 0 is the only option, which leaves the wait.
        guard answers.index(1) == 100, let user = run.user else { return .refused }
        if let from = run.pollFrom, services.now < from {
            run.earlyPolls += 1
            return run.earlyPolls > Self.tolerated ? .refused : .page(page(services))
        }
        run.polls += 1
        if run.polls >= services.settings.pollsNeeded { return .success(user: user, level: 1, amr: ["Polling"]) }
        return wait(&run, with: services)
    }

    private func wait(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.pollFrom = services.now + services.settings.pollingWait
        return .page(page(services))
    }

    private func page(_ services: JourneyServices) -> SimulatedPage {
        var page = SimulatedPage()
        let wait = String(services.settings.pollingWait.milliseconds)
        page.add("PollingWaitCallback", ["waitTime": .string(wait), "message": "Waiting for response..."])
        page.addConfirmation(["Exit"], chosen: 100)
        return page
    }
}
