internal import JSON

/// Asks for user name and password on one page.
struct LoginJourney: SimulatedJourney {
    /// True if a wrong password shows the page again (200) in place of ending the journey (401); trees do either.
    var asksAgain = false

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(Self.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        let (name, failure) = Self.check(answers, services)
        guard let failure else { return .success(user: name, level: 0, amr: ["Login"]) }
        guard asksAgain, case .failure(let refusal) = failure else { return failure }
        var page = Self.page(services)
        page.addText(refusal.pingMessage, type: "2")
        return .page(page)
    }

    static func page(_ services: JourneyServices) -> SimulatedPage {
        if services.settings.dialect == .openam {
            var page = SimulatedPage(stage: "DataStore", header: "Sign in to OpenAM")
            page.addName("User Name:")
            page.addPassword("Password:")
            return page
        }
        var page = SimulatedPage(
            stage: "UsernamePassword", header: "Sign in", description: "Sign in with your account of the realm.")
        page.addName()
        page.addPassword()
        return page
    }

    /// Checks name and password, whose callbacks begin at a position.
    ///
    /// Returns the name, and the failure of the journey if the password is wrong.
    static func check(
        _ answers: JourneyAnswers, _ services: JourneyServices, at position: Int = 0
    ) -> (String, JourneyTurn?) {
        let name = answers.text(position)
        switch services.directory.verify(name, answers.text(position + 1), now: services.now) {
        case .accepted: return (name, nil)
        case .refused: return (name, .refused)
        case .warned(let left): return (name, .failure(.warned(left)))
        case .locked: return (name, .failure(.locked))
        case .inactive: return (name, .failure(.inactive))
        }
    }
}
