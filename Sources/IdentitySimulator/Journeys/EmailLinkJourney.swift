internal import HTTPCore
internal import JSON

/// Asks for the user name, sends a link to the user's address, and signs in the browser that opens the link, once.
struct EmailLinkJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var page = SimulatedPage(stage: "EmailLink", header: "Sign in by mail")
        page.addName()
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        // The page of a suspended journey accepts no answer.
        guard run.suspendedID == nil, let elsewhere = services.elsewhere else { return .refused }
        let id = Identifier.random(24)
        run.suspendedID = id
        run.user = answers.text(0)
        // A caller without an account gets the same answer as a caller with one.
        if let user = services.directory.user(answers.text(0)) {
            var query = QueryParameters()
            query.append("realm", services.settings.realmName)
            query.append("suspendedId", id)
            elsewhere.outbox.send(
                Outbox.Message(
                    address: user.email, link: elsewhere.application + "/?" + query.encoded, suspendedID: id))
        }
        var page = SimulatedPage()
        page.add(
            "SuspendedTextOutputCallback",
            ["message": "An email has been sent to your inbox.", "messageType": "0"])
        return .page(page)
    }

    func resume(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let user = run.user else { return .refused }
        return .success(user: user, level: 0, amr: ["EmailLink"])
    }
}
