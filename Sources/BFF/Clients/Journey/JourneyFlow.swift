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

    var page: JSONObject { JourneyPage(flow.page).document }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        client.judge(Answers(answers.values, action: answers.action), to: flow)
    }
}
