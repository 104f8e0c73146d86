internal import HTTPServer
internal import JSON

/// A page, then a callback that has no page in AM: HTTP authentication, and for `bob` a client certificate.
///
/// Refuses by docs/protocol.md, 'Refusals'.
struct NegotiateJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard answers.text(0) != "bob" else {
            return .answer(.amError(400, "Cannot be converted into a JSON representation"))
        }
        return .answer(
            .json(
                401, ["failure": true, "reason": "http-auth-failed"], [ResponseHeader("WWW-Authenticate", "Negotiate")])
        )
    }
}
