internal import Basics
internal import JSON

/// Sign-in, then a wait that the client polls, with a way out.
struct PollingJourney: Journey {
    /// Early polls that are borne; one more ends the journey.
    private static let tolerated = 3

    func begin(_ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        run.place = "password"
        return .page(LoginJourney.page(world))
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        if run.place == "password" {
            let (name, failure) = LoginJourney.check(answers, world)
            if let failure { return failure }
            run.user = name
            run.place = "waiting"
            return wait(&run, world)
        }
        // 100 is "nothing chosen"; 0 is the only option, the exit.
        guard answers.index(1) == 100, let user = run.user else { return .refused }
        if let from = run.pollFrom, world.now < from {
            run.earlyPolls += 1
            return run.earlyPolls > Self.tolerated ? .refused : .page(page(world))
        }
        run.polls += 1
        if run.polls >= world.settings.pollsNeeded { return .success(user: user, level: 1, amr: ["Polling"]) }
        return wait(&run, world)
    }

    private func wait(_ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        run.pollFrom = world.now + world.settings.pollingWait
        return .page(page(world))
    }

    private func page(_ world: JourneyWorld) -> JourneyPage {
        var page = JourneyPage()
        let wait = String(world.settings.pollingWait.milliseconds)
        page.add("PollingWaitCallback", ["waitTime": .string(wait), "message": "Waiting for response..."])
        page.addConfirmation(["Exit"], chosen: 100)
        return page
    }
}
