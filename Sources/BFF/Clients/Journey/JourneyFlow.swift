internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// A journey at its page.
struct JourneyFlow: OpenedFlow {
    private let client: JourneySignIn
    private let flow: OpenFlow
    /// The page that it is at.
    let shown: JourneyPage

    init(_ flow: OpenFlow, of client: JourneySignIn) {
        self.client = client
        self.flow = flow
        shown = JourneyPage(flow.page)
    }

    var position: FlowPosition { flow.state.encoded }

    func page(_ moment: PageMoment) -> JSONObject {
        var document = client.credentials(on: shown).document(in: flow.languages)
        if let wait = moment.nextPollIn { say(wait, in: &document) }
        Self.addLeaving(to: &document, shown, moment)
        return document
    }

    var wait: PageWait { Self.leaving(shown) ?? pollWait ?? .answers }

    /// Callbacks as AM sent them: only its step token differs where it asks the same again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow else { return false }
        let (one, next) = (shown.step, other.shown.step)
        return one["stage"] == next["stage"] && one["callbacks"] == next["callbacks"]
    }

    func userNames(in answers: PageAnswers) -> [String] {
        shown.callbacks.compactMap { callback in
            let type = type(of: callback)
            guard type == NameCallback.self || type == ValidatedCreateUsernameCallback.self,
                let answer = answers.values[callback.id]
            else { return nil }
            return (callback as? NameCallback)?.answer(of: answer)
                ?? (callback as? ValidatedCreateUsernameCallback)?.answer(of: answer)
        }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        if let refusal = Self.refusal(of: answers, to: shown) { return .wrong([refusal]) }
        return client.judge(answers, to: flow)
    }
}
