internal import JSON

/// Fails with details of its own, such as an `errorCode` that AM does not have.
struct CustomFailureJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .failure(
            .custom(
                message: "Your contract has ended.",
                detail: [
                    "failureUrl": "", "errorCode": "CONTRACT-7",
                    "contract": ["since": 2019, "links": ["help", "phone"]],
                ]))
    }
}
