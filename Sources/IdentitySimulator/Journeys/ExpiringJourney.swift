internal import JSON

/// A page that every answer comes too late for, said in the words of one version of AM or another: by a number in `detail`,
/// to `alice` by the status, and to `bob` by a text.
///
/// Refuses by docs/protocol.md, 'Refusals'.
struct ExpiringJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        switch answers.text(0) {
        case "alice": .answer(.amError(408, "Session has timed out"))
        case "bob": .answer(.amError(400, "Authentication timeout"))
        default: .answer(.amError(401, "Session has timed out", detail: ["errorCode": "110", "failureUrl": ""]))
        }
    }
}
