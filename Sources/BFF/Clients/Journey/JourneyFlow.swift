internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// A journey at its page.
struct JourneyFlow: OpenedFlow {
    private let client: JourneySignIn
    private let flow: OpenFlow

    init(_ flow: OpenFlow, of client: JourneySignIn) {
        self.client = client
        self.flow = flow
    }

    var position: FlowPosition { flow.state.encoded }

    func page(_ moment: PageMoment) -> JSONObject {
        let page = JourneyPage(flow.page)
        var document = page.document(in: flow.languages)
        Self.addLeaving(to: &document, page, moment)
        return document
    }

    var wait: PageWait { Self.leaving(JourneyPage(flow.page)) ?? .answers }

    /// Callbacks as AM sent them: only its step token differs where it asks the same again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow else { return false }
        let (one, next) = (JourneyPage(flow.page).step, JourneyPage(other.flow.page).step)
        return one["callbacks"] == next["callbacks"] && one["stage"] == next["stage"]
    }

    func userNames(in answers: PageAnswers) -> [String] {
        JourneyPage(flow.page).callbacks.filter { $0 is NameCallback || $0 is ValidatedCreateUsernameCallback }
            .compactMap { answers.values[$0.id].flatMap { $0.string ?? $0["value"]?.string } }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        if let refusal = Self.refusal(of: answers, to: JourneyPage(flow.page)) { return .wrong([refusal]) }
        if let returned = answers.returned { return client.judge(Answers(unorderedReturned: returned), to: flow) }
        return client.judge(Answers(answers.values, action: answers.action), to: flow)
    }
}
