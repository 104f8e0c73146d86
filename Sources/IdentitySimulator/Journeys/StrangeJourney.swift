internal import JSON

/// A page with a callback of an unknown type, which clients must send back unchanged.
///
/// Callbacks without input count as positions too, and numbers keep their spelling: 2.50 is not 2.5 here.
struct StrangeJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var page = SimulatedPage(stage: "Strange")
        page.addName()
        page.add(
            "HologramCallback", ["prompt": "Wave at the camera", "matrix": Self.matrix],
            input: ["": ["pattern": "none", "weight": Self.number("1.0")]],
            extra: ["x-vendor": ["revision": Self.number("2.50"), "draft": nil]])
        page.addPassword()
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let sent = run.page.callbacks[1].serialized()
        guard answers.callbacks[1].serialized() == sent else {
            return .failure(
                .custom(message: "The unknown callback was changed on its way", detail: ["failureUrl": ""]))
        }
        guard services.directory.verify(answers.text(0), answers.text(2), now: services.now) == .accepted else {
            return .refused
        }
        return .success(user: answers.text(0), level: 0, amr: ["Strange"])
    }

    private static let matrix: JSONValue = [number("1.10"), number("1e2"), number("-0"), 9_007_199_254_740_993]

    private static func number(_ lexeme: String) -> JSONValue {
        JSONNumber(lexeme: lexeme).map { .number($0) } ?? .null
    }
}
