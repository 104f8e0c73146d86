internal import BFF
internal import Basics
internal import JSON

/// A flow of a `FakeSignInClient` at one of its pages.
///
/// A page whose name begins with `Wait` waits 8 s for time, by its question `poll`, and has the exit `exit`; what comes
/// behind a slash is the message of the wait.
struct FakeFlow: OpenedFlow {
    private let client: FakeSignInClient
    private let name: String
    private let noSession: Bool

    init(_ page: String, noSession: Bool, of client: FakeSignInClient) {
        self.client = client
        name = page
        self.noSession = noSession
    }

    init(_ position: FlowPosition, of client: FakeSignInClient) throws(FlowPositionError) {
        self.client = client
        guard let stored = try? Position(decoding: position) else { throw FlowPositionError() }
        name = stored.page
        noSession = stored.noSession
        client.provider.note(.open)
    }

    var position: FlowPosition {
        client.provider.note(.store)
        return Position(page: name, noSession: noSession).encoded
    }

    var wait: PageWait {
        if FakeProvider.departures[name] != nil { return .departure }
        if name == FakeProvider.mailPage { return .link }
        return isWaiting ? .poll(question: "poll", pace: .seconds(8)) : .answers
    }

    private var isWaiting: Bool { name.hasPrefix("Wait") }
    private var place: String { String(name.prefix { $0 != "/" }) }

    func waitsOn(at other: any OpenedFlow) -> Bool { isWaiting && (other as? FakeFlow)?.place == place }

    func leavesWait(_ answers: PageAnswers) -> Bool { !answers.values.isEmpty }

    var departures: [String: Departure] { FakeProvider.departures[name].map { ["leave": $0] } ?? [:] }

    var page: ShownPage {
        client.provider.note(.show)
        return ShownPage(heading: ["stage": .string(place)], "callbacks", shownQuestions, isSuspended: wait == .link)
    }

    private var shownQuestions: [(id: String, JSONObject)] {
        switch wait {
        case .departure:
            return [("leave", ["id": "leave", "type": "RedirectCallback", "redirectMethod": "GET"])]
        case .link:
            return [("mail", ["id": "mail", "type": "SuspendedTextOutputCallback", "message": "Look."])]
        case .poll, .answers: break
        }
        let poll: JSONObject = [
            "id": "poll", "type": "PollingWaitCallback", "waitTime": 8000, "message": .string(name),
        ]
        return (isWaiting ? [("poll", poll)] : [])
            + questions.map { id in
                let question: JSONObject = [
                    "id": .string(id), "type": "TextInputCallback", "prompt": .string(id), "defaultText": "",
                    "value": "", "answer": ["type": "string"],
                ]
                return (id, question)
            }
    }

    func showsSame(as other: any OpenedFlow) -> Bool { (other as? FakeFlow)?.name == name }

    func userNames(in answers: PageAnswers) -> [String] { answers.values["user"]?.string.map { [$0] } ?? [] }

    /// Answers must be to questions of the page and strings; none is required.
    func judge(_ answers: PageAnswers) -> JudgedAnswers {
        client.provider.note(.judge)
        guard wait == .answers || isWaiting || answers.returned != nil else {
            return .wrong([PageAnswerProblem(id: "leave", code: "not-answerable", message: "It takes no answer.")])
        }
        let known = questions
        let problems = answers.values.sorted { $0.key < $1.key }.compactMap { id, value -> PageAnswerProblem? in
            if !known.contains(id) {
                return PageAnswerProblem(id: id, code: "unknown-question", message: "The page has no such question.")
            }
            return value.string == nil
                ? PageAnswerProblem(id: id, code: "wrong-type", message: "The answer is a string.") : nil
        }
        guard problems.isEmpty else { return .wrong(problems) }
        return .right { [self] session, caller throws(CancellationError) in
            try await client.next(answers, to: name, noSession: noSession, session: session, caller)
        }
    }

    private var questions: [String] {
        name == FakeProvider.firstPage ? ["user", "password"] : [isWaiting ? "exit" : "code"]
    }
}

private struct Position: RecordCodable {
    static let version: UInt8 = 1

    let page: String
    let noSession: Bool

    init(page: String, noSession: Bool) {
        self.page = page
        self.noSession = noSession
    }

    func write(into writer: inout RecordWriter) {
        writer.write("authId-\(FakeProvider.canary)")
        writer.write(page)
        writer.write(noSession)
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        _ = try reader.string()
        page = try reader.string()
        noSession = try reader.bool()
    }
}
