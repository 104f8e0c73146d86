internal import JSON

/// Name and password, then forms one after another; the user is signed in after the last form.
struct FormJourney: SimulatedJourney {
    /// One page of the journey with the check of its answers.
    struct Form: Sendable {
        /// Makes the page; its questions depend on the user.
        let page: @Sendable (SimulatedUser, inout JourneyRun) -> SimulatedPage
        /// Judges the answers to the page.
        let judge: @Sendable (JourneyAnswers, JourneyRun, JourneyServices) -> Verdict
    }

    /// The verdict on answers.
    enum Verdict {
        /// The answers are right.
        case good
        /// The answers are wrong, and this page is shown in place of the answered one.
        case again(SimulatedPage)
        /// The answers are wrong, and the journey ends with this message.
        case fault(String)
    }

    let forms: [Form]

    func begin(_ run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        .page(LoginJourney.page(services))
    }

    func advance(_ answers: JourneyAnswers, in run: inout JourneyRun, with services: JourneyServices) -> JourneyTurn {
        var next = 0
        if let index = Int(run.place) {
            switch forms[index].judge(answers, run, services) {
            case .good: next = index + 1
            case .again(let page): return .page(page)
            case .fault(let message): return .failure(.custom(message: message, detail: ["failureUrl": ""]))
            }
        } else {
            let (name, failure) = LoginJourney.check(answers, services)
            if let failure { return failure }
            run.user = name
        }
        guard let user = run.user.flatMap({ services.directory.user($0) }) else { return .refused }
        guard next < forms.count else { return .success(user: user.name, level: 0, amr: [run.journey]) }
        run.place = String(next)
        return .page(forms[next].page(user, &run))
    }
}

extension FormJourney.Verdict {
    /// `good` if the condition holds, else the end of the journey.
    static func unless(_ fault: String, _ condition: Bool) -> Self { condition ? .good : .fault(fault) }

    /// Judges an SDK's report: an error ends the journey, and so does a condition that does not hold.
    static func noError(_ error: String, _ condition: Bool) -> Self {
        error.isEmpty ? unless("The page did not do its part", condition) : .fault("The page says \(error)")
    }
}

extension FormJourney.Form {
    /// The form for the simulator's one-time code.
    static let code = Self { _, _ in
        var page = SimulatedPage(stage: "OneTimePassword", header: "Enter a code")
        page.addPassword("One Time Password")
        return page
    } judge: { answers, _, services in
        .unless("The code is wrong", answers.text(0) == services.settings.oneTimeCode)
    }
}
