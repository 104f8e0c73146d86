public import JSON
public import Orchestrate

extension JourneyPage {
    /// The problems of answers; empty when the answers can be sent.
    public func validate(_ answers: Answers) -> [AnswerProblem] {
        var problems: [AnswerProblem] = []
        var answered = 0
        for (place, id) in parts.form.ids.enumerated() {
            guard let answer = answers.values[id] else { continue }
            answered += 1
            // A question that was never shown cannot be answered, whatever its type accepts.
            let refusal =
                parts.form.isQuestion[place]
                ? callbacks[place].refusal(of: answer)
                : AnswerRefusal(.unknownQuestion, "the page has no such question")
            guard let refusal else { continue }
            problems += refusal.all.map { AnswerProblem(id: id, code: $0.code, message: $0.message) }
        }
        // rule: answers are to questions of the page
        if answered != answers.values.count {
            let known = Set(parts.form.ids)
            for id in answers.values.keys.filter({ !known.contains($0) }).sorted() {
                problems.append(
                    AnswerProblem(id: id, code: .unknownQuestion, message: "the page has no such question"))
            }
        }
        // rule: an action is one of the page
        if let action = answers.action,
            !zip(parts.form.ids, parts.form.isQuestion).contains(where: { $0 == action && $1 })
        {
            problems.append(AnswerProblem(id: action, code: .unknownAction, message: "the page has no such action"))
        }
        return problems
    }

    /// The body that carries answers: the step as received, with only the values of answered inputs changed.
    ///
    /// - Throws: The problems of the answers.
    public func body(answering answers: Answers) throws(InvalidAnswersError) -> JSONObject {
        let problems = validate(answers)
        // rule: answers that are wrong are not sent
        guard problems.isEmpty else { throw InvalidAnswersError(problems) }
        guard step["callbacks"]?.array != nil else { return step }
        var inputs = CallbackInputs(callbacks: callbacks.count)
        for (callback, id) in zip(callbacks, parts.form.ids) {
            if let answer = answers.values[id] { inputs.fill(callback, answer) }
        }
        var body = step
        body["callbacks"] = .array(callbacks.map { inputs.filled($0.raw) })
        return body
    }
}
