internal import JSON

/// Ends badly with details of its own, among them an `errorCode` that is none of AM's.
struct CustomFailureJourney: Journey {
    func begin(_ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        .page(LoginJourney.page(world))
    }

    func advance(_ answers: JourneyAnswers, _ run: inout JourneyRun, _ world: JourneyWorld) -> JourneyTurn {
        .failure(
            .custom(
                message: "Your contract has ended.",
                detail: [
                    "failureUrl": "", "errorCode": "CONTRACT-7",
                    "contract": ["since": 2019, "links": ["help", "phone"]],
                ]))
    }
}
