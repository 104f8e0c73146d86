internal import JSON

/// Shows a page for which every answer comes too late, and says so as different versions of AM do.
///
/// The refusal has an error number in `detail`; for `alice` it has status 408 instead, and for `bob` only a text.
///
/// Refuses by docs/protocol.md, 'Refusals'.
struct ExpiringJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        switch answers.text(0) {
        case "alice": .answer(.amError(408, "Session has timed out"))
        case "bob": .answer(.amError(400, "Authentication timeout"))
        default: .answer(.amError(401, "Session has timed out", detail: ["errorCode": "110", "failureUrl": ""]))
        }
    }
}
