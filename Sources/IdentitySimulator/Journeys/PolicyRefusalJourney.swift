internal import JSON

/// Asks for password, address and name, and refuses answers that break policies outside of the page: status 403, with
/// one property as an object and one as a text with JSON, since AM sends both.
///
/// Refuses by docs/protocol.md, 'Refusals'.
struct PolicyRefusalJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var page = LoginJourney.page(services)
        page.stage = "Profile"
        for (name, prompt) in [("mail", "E-mail address"), ("sn", "Last name")] {
            AttributeQuestion.attribute("String", name, prompt, "").add(to: &page)
        }
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let (name, failure) = LoginJourney.check(answers, services)
        if let failure { return failure }
        var faults: [JSONValue] = []
        if !answers.text(2).contains("@") {
            faults.append([
                "property": "mail", "policyRequirements": [["policyRequirement": "VALID_EMAIL_ADDRESS_FORMAT"]],
            ])
        }
        if answers.text(3).utf8.count < 2 {
            let requirement: JSONObject = ["params": ["minLength": 2], "policyRequirement": "MIN_LENGTH"]
            let fault: JSONObject = ["policyRequirements": [.string(requirement.text)], "property": "sn"]
            faults.append(.string(fault.text))
        }
        guard faults.isEmpty else {
            return .answer(
                .amError(
                    403, "Policy validation failed",
                    detail: ["result": false, "failedPolicyRequirements": .array(faults)]))
        }
        return .success(user: name, level: 0, amr: ["PolicyRefusal"])
    }
}
