internal import BFF
internal import JSON

extension NextRequest {
    /// Whether it may be a poll: then the use case says whether it counts as an answer to its flow.
    var mayPoll: Bool { answers.action != nil || answers.values.isEmpty }

    /// The members that `next` takes.
    static let members = ["flow", "step", "values", "action", "wait"]

    /// Reads the body of `next`; whether the answers fit the page is checked by the use case.
    ///
    /// - Parameters:
    ///   - body: The members.
    ///   - bytes: The body as it came: the same bytes again are the same request.
    /// - Throws: `.malformed` naming the member.
    init(_ body: BodyMembers, _ bytes: [UInt8]) throws(Problem) {
        try body.allow(only: Self.members)
        guard let flow = try body.text("flow", upTo: 128) else { throw Problem(.malformed, member: "flow", .required) }
        let step = try body.position("step")
        var answers = PageAnswers()
        for (name, value) in try body.object("values") {
            // `String` takes different spellings of one character for the same name, JSON does not.
            guard answers.values.updateValue(value, forKey: name) == nil else {
                throw Problem(.malformed, member: "values", .repeated)
            }
        }
        answers.action = try body.text("action", upTo: 256)
        let wait = try body.number("wait", upTo: 25)
        self.init(flow: flow, step: step, answers: answers, identity: .answers(bytes))
        self.wait = .seconds(wait)
    }
}
