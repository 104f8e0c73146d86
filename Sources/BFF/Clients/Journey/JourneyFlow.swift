internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// A journey at its page.
struct JourneyFlow: OpenedFlow {
    private let client: JourneySignIn
    private let flow: OpenFlow
    /// The page that it is at.
    let journeyPage: JourneyPage

    init(_ flow: OpenFlow, of client: JourneySignIn) {
        self.client = client
        self.flow = flow
        journeyPage = JourneyPage(flow.page)
    }

    var position: FlowPosition { flow.state.encoded }

    var secrets: [String] { Journey.secrets(of: flow) }

    func page(_ moment: PageMoment) -> JSONObject {
        var document = client.credentials(on: journeyPage).document(in: flow.languages)
        if let wait = moment.nextPollIn { say(wait, in: &document) }
        Self.addLeaving(to: &document, journeyPage, moment)
        return document
    }

    var wait: PageWait { Self.leaving(journeyPage) ?? pollWait ?? .answers }

    /// Callbacks as AM sent them: only its step token differs where it asks the same again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow else { return false }
        let (one, next) = (journeyPage.step, other.journeyPage.step)
        return one["stage"] == next["stage"] && one["callbacks"] == next["callbacks"]
    }

    func userNames(in answers: PageAnswers) -> [String] {
        journeyPage.callbacks.compactMap { callback in
            let type = type(of: callback)
            guard type == NameCallback.self || type == ValidatedCreateUsernameCallback.self,
                let answer = answers.values[callback.id]
            else { return nil }
            return (callback as? NameCallback)?.answer(of: answer)
                ?? (callback as? ValidatedCreateUsernameCallback)?.answer(of: answer)
        }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        if let refusal = Self.refusal(of: answers, to: journeyPage) { return .wrong([refusal]) }
        return client.judge(answers, to: flow)
    }
}
