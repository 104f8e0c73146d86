internal import BFF
internal import Basics
internal import DaVinciClient
internal import JSON
internal import Orchestrate

/// A DaVinci flow at its page.
struct DaVinciFlow: OpenedFlow {
    let client: DaVinciSignIn
    let flow: OpenFlow
    /// The page that the flow is at.
    let davinciPage: DaVinciPage

    init(_ flow: OpenFlow, of client: DaVinciSignIn) {
        self.client = client
        self.flow = flow
        davinciPage = DaVinciPage(flow.page)
    }

    var position: FlowPosition { flow.state.encoded }

    var wait: PageWait {
        davinciPage.pollQuestion.map { .poll(question: $0.id, pace: .milliseconds($0.interval)) } ?? .answers
    }

    var departures: [String: Departure] { client.departures(on: davinciPage) }

    var secrets: [String] { DaVinci.secrets(of: flow) }

    var page: ShownPage {
        var page = ShownPage(
            heading: davinciPage.heading, DaVinciPage.questionsName,
            davinciPage.documents(leavingBy: departures.keys))
        for id in client.credentials(on: davinciPage).withheld { page.annotate(id) { $0.isWithheld = true } }
        return page
    }

    func looks(like other: any OpenedFlow) -> Bool {
        (other as? DaVinciFlow).map { davinciPage.looks(like: $0.davinciPage) } ?? false
    }

    /// True if both pages show the same form of the same node; the interaction differs when the provider asks again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = (other as? DaVinciFlow)?.davinciPage.step else { return false }
        return davinciPage.step["id"] == other["id"] && davinciPage.step["form"] == other["form"]
    }

    func waitsOn(at other: any OpenedFlow) -> Bool {
        (other as? DaVinciFlow).map { davinciPage.waitsOn(at: $0.davinciPage) } ?? false
    }

    func leavesWait(_ answers: PageAnswers) -> Bool {
        answers.returned != nil || !davinciPage.polls(Answers(answers.values, action: answers.action))
    }

    func userNames(in answers: PageAnswers) -> [String] {
        davinciPage.userNameQuestions.compactMap { answers.values[$0]?.string }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        if let returned = answers.returned { return client.judge(returned: returned, to: flow) }
        if let action = answers.action, departures[action] == nil, davinciPage.isExit(action) {
            let text = "the button leads nowhere now"
            return .wrong([
                PageAnswerProblem(id: action, code: AnswerProblem.Code.notOffered.rawValue, message: text)
            ])
        }
        return client.judge(answers, to: flow)
    }
}
