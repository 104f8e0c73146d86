public import JSON
public import Orchestrate

extension JourneyPage {
    /// What is wrong with answers; empty when they can be sent.
    public func validate(_ answers: Answers) -> [AnswerProblem] {
        var problems: [AnswerProblem] = []
        for callback in callbacks {
            guard let answer = answers.values[callback.id] else { continue }
            // A question that nobody saw cannot be answered, whatever its type takes.
            let refusal =
                isQuestion(callback)
                ? callback.refusal(of: answer) : AnswerRefusal(.unknownQuestion, "the page has no such question")
            problems += (refusal?.all ?? []).map { AnswerProblem(id: callback.id, code: $0.code, message: $0.message) }
        }
        let known = Set(callbacks.map(\.id))
        for id in answers.values.keys.filter({ !known.contains($0) }).sorted() {
            problems.append(AnswerProblem(id: id, code: .unknownQuestion, message: "the page has no such question"))
        }
        let pressable = Set(callbacks.filter(isQuestion).map(\.id))
        if let action = answers.action, !pressable.contains(action) {
            problems.append(AnswerProblem(id: action, code: .unknownAction, message: "the page has no such action"))
        }
        return problems
    }

    /// The body that carries answers: the step as received, with only the values of answered inputs changed.
    ///
    /// - Throws: What is wrong with the answers.
    public func body(answering answers: Answers) throws(InvalidAnswersError) -> JSONObject {
        let problems = validate(answers)
        guard problems.isEmpty else { throw InvalidAnswersError(problems) }
        guard step["callbacks"]?.array != nil else { return step }
        var inputs = CallbackInputs()
        for callback in callbacks {
            if let answer = answers.values[callback.id] { inputs.fill(callback, answer) }
        }
        var body = step
        body["callbacks"] = .array(callbacks.map { inputs.filled($0.raw) })
        return body
    }
}
