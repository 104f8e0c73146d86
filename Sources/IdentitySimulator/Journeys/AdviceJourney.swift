internal import JSON

/// Has the session's user approve one call by a one-time code, as the policy of the gateway advised.
///
/// The session does not change, and a wrong code ends like a right one: only the repeated call shows the difference.
///
/// Refuses by docs/protocol.md, 'Policy advice'.
struct AdviceJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard services.session != nil, let id = run.transaction else { return .refused }
        guard services.elsewhere?.gateway.knows(id, now: services.now) == true else {
            return .answer(.amError(401, "Unable to read transaction", detail: ["errorCode": "128"]))
        }
        var page = SimulatedPage(stage: "OneTimePassword", header: "Confirm what you are about to do")
        page.addPassword("One Time Password")
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard let session = services.session, let id = run.transaction else { return .refused }
        if answers.text(0) == services.settings.oneTimeCode {
            services.elsewhere?.gateway.authorise(id, by: session.user)
        }
        return .unchanged
    }
}
