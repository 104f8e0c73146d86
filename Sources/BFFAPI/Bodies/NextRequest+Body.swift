internal import BFF
internal import JSON

extension NextRequest {
    /// True if the request may be a poll; then the use case decides whether it counts as an answer to its flow.
    var mayPoll: Bool { answers.action != nil || answers.values.isEmpty }

    /// The allowed members of `next`.
    static let members = ["flow", "step", "values", "action", "wait", confirm]

    /// Reads the body of `next`; the use case checks whether the answers fit the page.
    ///
    /// - Parameters:
    ///   - body: The members.
    ///   - bytes: The body as received: identical bytes are a repeat of the same request.
    /// - Throws: `.malformed` naming the member.
    init(_ body: BodyMembers, _ bytes: [UInt8]) throws(Problem) {
        try body.allow(only: Self.members)
        guard let flow = try body.text("flow", upTo: 128) else { throw Problem(.malformed, member: "flow", .required) }
        let step = try body.position("step")
        var answers = PageAnswers()
        for (name, value) in try body.object("values") {
            // `String` equates different spellings of one character, JSON does not.
            guard answers.values.updateValue(value, forKey: name) == nil else {
                throw Problem(.malformed, member: "values", .repeated)
            }
        }
        answers.action = try body.text("action", upTo: 256)
        answers.confirms = try body.flag(Self.confirm)
        // rule: a confirmation comes without answers
        if answers.confirms, answers.action != nil || !answers.values.isEmpty {
            throw Problem(.malformed, member: Self.confirm, .outOfRange)
        }
        let wait = try body.number("wait", upTo: 25)
        self.init(flow: flow, step: step, answers: answers, identity: .answers(bytes))
        self.wait = .seconds(wait)
    }
}
