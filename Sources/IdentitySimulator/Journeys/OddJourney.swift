internal import JSON

/// A page with the oddities of several AM versions at once.
///
/// It has nulls, missing and surplus outputs and inputs, equal ids, equal input names, a hidden value without id, and
/// numbers as text.
struct OddJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var page = SimulatedPage(stage: "Odd", header: "Whatever this is")
        page.add("TextOutputCallback", ["messageType": 0, "message": "Please sign in.", "more": nil])
        page.add("NameCallback", ["prompt": nil], input: ["": "", "surplus": "kept"])
        page.add(
            "StringAttributeInputCallback",
            ["failedPolicies": nil, "policies": nil, "value": nil, "name": "mail", "prompt": "Address"],
            input: ["": ""])
        for _ in 0..<2 {
            page.add(
                "HiddenValueCallback", ["value": "twin", "id": "twin"],
                extra: ["input": [["name": "IDToken4", "value": "twin"]]])
        }
        page.add("HiddenValueCallback", ["value": "nameless", "id": nil], input: ["": nil])
        page.add(
            "ChoiceCallback", ["defaultChoice": "1", "choices": ["red", "green"], "prompt": "Color"],
            input: ["": "1"])
        page.add("TextInputCallback", ["prompt": "Nowhere to write"])
        page.add("PasswordCallback", [:], input: ["": ""])
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        guard answers.value(1, input: 1) == "kept", answers.value(7) == nil,
            let color = answers.index(6), (0...1).contains(color)
        else { return .failure(.custom(message: "An input was changed that takes no answer", detail: [:])) }
        let name = answers.text(1)
        guard services.directory.verify(name, answers.text(8), now: services.now) == .accepted else { return .refused }
        return .success(user: name, level: 0, amr: ["Odd"])
    }
}
