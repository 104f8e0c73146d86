internal import JSON

/// Ends badly with details of its own, among them an `errorCode` that is none of AM's.
struct CustomFailureJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ services: JourneyServices) -> JourneyTurn {
        .failure(
            .custom(
                message: "Your contract has ended.",
                detail: [
                    "failureUrl": "", "errorCode": "CONTRACT-7",
                    "contract": ["since": 2019, "links": ["help", "phone"]],
                ]))
    }
}
