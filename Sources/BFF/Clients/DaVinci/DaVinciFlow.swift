internal import Basics
internal import DaVinciClient
internal import JSON
internal import Orchestrate

/// A DaVinci flow at its page.
struct DaVinciFlow: OpenedFlow {
    private let client: DaVinciSignIn
    let flow: OpenFlow
    /// The page that it is at.
    private let page: DaVinciPage

    init(_ flow: OpenFlow, of client: DaVinciSignIn) {
        self.client = client
        self.flow = flow
        page = DaVinciPage(flow.page)
    }

    var position: FlowPosition { flow.state.encoded }

    var wait: PageWait {
        page.pollQuestion.map { .poll(question: $0.id, pace: .milliseconds($0.interval)) } ?? .answers
    }

    var departures: [String: Departure] { client.departures(on: page) }

    var secrets: [String] { DaVinci.secrets(of: flow) }

    func page(_ moment: PageMoment) -> JSONObject {
        let page = page
        let (poll, departures) = (page.pollQuestion?.id, departures)
        let withheld = client.credentials(on: page).withheld
        return page.document { collector, question in
            let id = collector.id
            if let wait = moment.nextPollIn, id == poll {
                question["nextPollIn"] = .number(JSONNumber(wait.milliseconds))
            }
            if collector.type == "IdpCollector" {
                if departures[id] == nil { question["enabled"] = false }
                question["go"] = moment.go[id].map { .string($0) }
            }
            if !withheld.isEmpty, withheld.contains(id) { question["publicKey"] = nil }
        }
    }

    var shown: JSONObject {
        page.document { collector, question in
            if collector.type == "PollingCollector" { question["retriesLeft"] = nil }
        }
    }

    /// The same form of the same node; its interaction differs where the provider asks again.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = (other as? DaVinciFlow)?.page.step else { return false }
        return page.step["id"] == other["id"] && page.step["form"] == other["form"]
    }

    func waitsOn(at other: any OpenedFlow) -> Bool {
        (other as? DaVinciFlow).map { page.waitsOn(at: $0.page) } ?? false
    }

    func leavesWait(_ answers: PageAnswers) -> Bool {
        answers.returned != nil || !page.polls(Answers(answers.values, action: answers.action))
    }

    func userNames(in answers: PageAnswers) -> [String] {
        page.userNameQuestions.compactMap { answers.values[$0]?.string }
    }

    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        if let returned = answers.returned { return client.judge(returned: returned, to: flow) }
        if let action = answers.action, departures[action] == nil,
            page.collectors.contains(where: { $0.id == action && $0.type == "IdpCollector" })
        {
            let text = "the button leads nowhere now"
            return .wrong([
                PageAnswerProblem(id: action, code: AnswerProblem.Code.notOffered.rawValue, message: text)
            ])
        }
        return client.judge(answers, to: flow)
    }
}
