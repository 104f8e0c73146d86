internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// A journey at its page.
struct JourneyFlow: OpenedFlow {
    private let client: JourneySignIn
    let flow: OpenFlow

    init(_ flow: OpenFlow, of client: JourneySignIn) {
        self.client = client
        self.flow = flow
    }

    var position: FlowPosition { flow.state.encoded }

    func page(_ moment: PageMoment) -> JSONObject {
        var document = client.credentials(on: flow).document(in: flow.languages)
        if let wait = moment.nextPollIn { say(wait, in: &document) }
        return document
    }

    var wait: PageWait { pollWait ?? .answers }

    /// Callbacks as AM sent them: only its step token differs where it asks the same again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow else { return false }
        let (one, next) = (JourneyPage(flow.page).step, JourneyPage(other.flow.page).step)
        return one["callbacks"] == next["callbacks"] && one["stage"] == next["stage"]
    }

    func userNames(in answers: PageAnswers) -> [String] {
        JourneyPage(flow.page).callbacks.filter { $0 is NameCallback || $0 is ValidatedCreateUsernameCallback }
            .compactMap { callback in
                answers.values[callback.id].flatMap { (callback as? any AnsweredCallback<String>)?.answer(of: $0) }
            }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        client.judge(answers, to: flow)
    }
}
