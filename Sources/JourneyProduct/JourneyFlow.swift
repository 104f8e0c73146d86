internal import BFF
internal import Basics
internal import JSON
internal import JourneyClient
internal import Orchestrate

/// A journey at its page.
struct JourneyFlow: OpenedFlow {
    let client: JourneySignIn
    private let flow: OpenFlow
    /// The page that the journey is at.
    let journeyPage: JourneyPage

    init(_ flow: OpenFlow, of client: JourneySignIn) {
        self.client = client
        self.flow = flow
        journeyPage = JourneyPage(flow.page)
    }

    var position: FlowPosition { flow.state.encoded }

    var secrets: [String] { Journey.secrets(of: flow) }

    var page: ShownPage {
        var page = ShownPage(
            heading: journeyPage.heading(in: flow.languages), JourneyPage.questionsName, journeyPage.documents,
            isSuspended: journeyPage.suspension != nil)
        for id in client.credentials(on: journeyPage).withheld {
            page.annotate(id) { question in
                question.isWithheld = true
                question.answer = WebAuthnRequest.unsupportedSchema
            }
        }
        return page
    }

    var wait: PageWait {
        if journeyPage.redirect != nil { return .departure }
        if journeyPage.suspension != nil { return .link }
        return journeyPage.polling.map { .poll(question: $0.id, pace: .milliseconds($0.waitTime)) } ?? .answers
    }

    var departures: [String: Departure] {
        guard let redirect = journeyPage.redirect else { return [:] }
        let form = redirect.fields.map { Departure.Field(name: $0.name, value: $0.value) }
        return [
            redirect.id: Departure(
                address: redirect.action, form: redirect.isPost ? form : nil, state: redirect.state)
        ]
    }

    /// True if both pages have the same stage and callbacks.
    ///
    /// When AM asks the same again, its step token differs, its numbers of callbacks may run on through the journey,
    /// and inputs may repeat what was entered. Fields with policies may repeat it in their output, too, with what is
    /// wrong about it. On a page that asks for a name or password, which may be guessed, that is no difference. On other
    /// pages it is one, because AM checks such fields while a user types.
    func showsSame(as other: any OpenedFlow) -> Bool {
        guard let other = other as? JourneyFlow else { return false }
        let mayBeGuessed = journeyPage.callbacks.contains { $0 is NameCallback || $0 is PasswordCallback }
        func asked(_ page: JourneyPage) -> [JSONValue] {
            page.unnumbered { _, members in
                let inputs = members["input"]?.array?.map { entry in
                    guard var input = entry.object else { return entry }
                    input["value"] = nil
                    return JSONValue.object(input)
                }
                if let inputs { members["input"] = .array(inputs) }
                guard mayBeGuessed, let outputs = members["output"]?.array,
                    outputs.contains(where: { $0["name"] == "failedPolicies" })
                else { return }
                members["output"] = .array(outputs.filter { $0["name"] != "failedPolicies" && $0["name"] != "value" })
            }
        }
        let (one, next) = (journeyPage, other.journeyPage)
        return one.step["stage"] == next.step["stage"] && asked(one) == asked(next)
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
        if let refusal = refusal(of: answers) { return .wrong([refusal]) }
        return client.judge(answers, to: flow)
    }
}
