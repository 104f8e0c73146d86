internal import JSON

/// A page with every small callback, then sign-in, so that clients can try their callbacks on it.
struct KitchenJourney: SimulatedJourney {
    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        run.place = "small"
        var page = SimulatedPage(
            stage: "Kitchen", header: "A bit of everything", description: "Nothing here is serious.")
        page.addText("Please answer the questions below.")
        page.addText("document.getElementById('loginButton').hidden = true;", type: "4")
        page.add(
            "ChoiceCallback",
            ["prompt": "Choose your color", "choices": ["red", "green", "blue"], "defaultChoice": 0], input: ["": ""])
        page.add("TextInputCallback", ["prompt": "Your nickname", "defaultText": "none"], input: ["": ""])
        // OpenAM sends a hidden value without `id`.
        let hidden: JSONObject =
            services.settings.dialect == .openam ? ["value": "initial"] : ["value": "initial", "id": "correlationId"]
        page.add("HiddenValueCallback", hidden, input: ["": "correlationId"])
        page.addConfirmation(["Continue", "Cancel"], chosen: 100)
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        if run.place == "password" {
            let (name, failure) = LoginJourney.check(answers, services)
            return failure ?? .success(user: name, level: 0, amr: ["Kitchen"])
        }
        guard let color = answers.index(2), (0...2).contains(color), answers.value(3)?.string != nil,
            answers.value(4)?.string != nil, answers.index(5) == 0
        else { return .refused }
        run.place = "password"
        var page = LoginJourney.page(services)
        page.header = "Hello \(answers.text(3))"
        page.description = "Color \(color), correlation \(answers.text(4))"
        return .page(page)
    }
}
