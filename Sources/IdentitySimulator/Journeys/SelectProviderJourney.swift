internal import JSON

/// Asks for the provider: name and password on the same page, or the other provider.
struct SelectProviderJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.place = "provider"
        var page = SimulatedPage(stage: "SelectProvider", header: "Sign in")
        page.add(
            "SelectIdPCallback",
            [
                "providers": [
                    ["provider": "localAuthentication"],
                    ["provider": "social", "uiConfig": ["buttonDisplayName": "Social", "iconBackground": "#4184f3"]],
                ], "value": "",
            ], input: ["": ""])
        page.addName()
        page.addPassword()
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard run.place == "provider" else { return SocialJourney().advance(answers, in: &run, with: services) }
        switch answers.text(0) {
        case "social": return SocialJourney().begin(&run, with: services)
        case "localAuthentication":
            let (name, failure) = LoginJourney.check(answers, services, at: 1)
            return failure ?? .success(user: name, level: 0, amr: ["SelectProvider"])
        default: return .failure(.custom(message: "There is no such provider", detail: ["failureUrl": ""]))
        }
    }
}
