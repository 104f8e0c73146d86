internal import HTTPServer
internal import JSON

/// Asks which part is to be too large, and sends it.
///
/// `nothing` is a large page that the user can sign in on; `types` is a page of ten callback types that is shown again
/// after every answer.
struct HugeJourney: SimulatedJourney {
    private enum Part: String, CaseIterable {
        case nothing, callbacks, output, page, authId, answer, depth, types
    }

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var page = SimulatedPage(stage: "Huge")
        page.add(
            "ChoiceCallback",
            [
                "prompt": "What is too large?", "choices": .array(Part.allCases.map { .string($0.rawValue) }),
                "defaultChoice": 0,
            ], input: ["": 0])
        return .page(page)
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        if run.place == "types" { return types(&run) }
        if run.place == "large" {
            let name = answers.text(0)
            guard services.directory.verify(name, answers.text(1), now: services.now) == .accepted else {
                return .refused
            }
            return .success(user: name, level: 0, amr: ["Huge"])
        }
        guard let index = answers.index(0), Part.allCases.indices.contains(Int(index)) else { return .refused }
        run.place = "large"
        switch Part.allCases[Int(index)] {
        case .nothing:
            var page = LoginJourney.page(services)
            page.addText(Self.text(48 << 10))
            page.addText(Self.text(48 << 10))
            return .page(page)
        case .callbacks: return step(Array(repeating: Self.shown("x"), count: 201))
        case .output: return step([Self.shown(.string(Self.text(65_537)))])
        case .page: return step(Array(repeating: Self.shown(.string(Self.text(60_000))), count: 3))
        case .authId: return step([], authID: Self.text(65_537))
        case .answer: return step([Self.shown(.string(Self.text(1 << 20)))])
        case .depth: return step([Self.shown((0..<64).reduce("x") { value, _ in [value] })])
        case .types:
            run.place = "types"
            return types(&run)
        }
    }

    /// The stage changes each time, so that clients do not take the page for a refusal.
    private func types(_ run: inout JourneyRun) -> JourneyTurn {
        run.polls += 1
        var page = Self.types
        page.stage = "Types\(run.polls)"
        return .page(page)
    }

    /// Ten callbacks of ten types that a form for a new user may have.
    private static let types: SimulatedPage = {
        var page = SimulatedPage(header: "Register", description: "All of it may change later.")
        page.addText("Please answer the questions below.")
        page.addName()
        page.addPassword()
        page.add("TextInputCallback", ["prompt": "Your nickname", "defaultText": ""], input: ["": ""])
        page.add(
            "ChoiceCallback",
            ["prompt": "Choose your color", "choices": ["red", "green", "blue"], "defaultChoice": 0], input: ["": 0])
        page.addHidden("correlationId")
        AttributeQuestion.attribute("String", "mail", "E-mail address", "").add(to: &page)
        AttributeQuestion.attribute("Boolean", "preferences/updates", "Send me news", false).add(to: &page)
        page.add("TermsAndConditionsCallback", ["version": "1.0", "terms": "Be kind."], input: ["": false])
        page.addConfirmation(["Continue", "Cancel"], chosen: 100)
        return page
    }()

    private func step(_ callbacks: [JSONValue], authID: String = "huge") -> JourneyTurn {
        .answer(.json(200, ["authId": .string(authID), "callbacks": .array(callbacks)]))
    }

    private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func shown(_ message: JSONValue) -> JSONValue {
        ["type": "TextOutputCallback", "output": [["name": "message", "value": message]]]
    }
}
