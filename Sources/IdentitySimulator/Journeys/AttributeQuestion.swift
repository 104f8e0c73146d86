internal import JSON

/// A question whose answer has to meet policies: its callback, and the check of an answer.
struct AttributeQuestion: Sendable {
    /// The callback type on the wire.
    let type: String
    /// The callback's output, without the members that all questions share.
    let output: JSONObject
    /// The value of the field; nil for a field without an initial value, whose answer is not sent back either.
    var value: JSONValue?
    /// True if the callback has the input `validateOnly`; older servers have none.
    var canCheck = true
    /// The policies that an answer fails, in the shapes that AM sends.
    let failures: @Sendable (JSONValue) -> [JSONValue]

    /// An attribute of the profile; `kind` is `String`, `Number` or `Boolean`.
    static func attribute(
        _ kind: String, _ name: String, _ prompt: String, _ value: JSONValue,
        failures: @escaping @Sendable (JSONValue) -> [JSONValue] = { _ in [] }
    ) -> AttributeQuestion {
        AttributeQuestion(
            type: "\(kind)AttributeInputCallback",
            output: ["name": .string(name), "prompt": .string(prompt), "required": true, "policies": [:]], value: value,
            failures: failures)
    }

    /// A copy of the question with policies in another shape.
    func with(policies: JSONValue) -> AttributeQuestion {
        var output = output
        output["policies"] = policies
        return AttributeQuestion(type: type, output: output, value: value, canCheck: canCheck, failures: failures)
    }

    /// Adds the callback to a page.
    func add(to page: inout SimulatedPage, failed: [JSONValue] = []) {
        var output = output
        output["failedPolicies"] = .array(failed)
        if canCheck { output["validateOnly"] = false }
        if type.hasPrefix("Validated") {
            // The prompt comes last, behind the texts that may contain the word.
            let prompt = output["prompt"]
            output["prompt"] = nil
            output["prompt"] = prompt
        } else {
            output["value"] = value
        }
        page.add(type, output, input: canCheck ? ["": value ?? "", "validateOnly": false] : ["": value ?? ""])
    }

    /// Judges the answers to the questions at the beginning of a page.
    ///
    /// - Returns: The questions with their answers and failed policies if a policy failed or only a check was
    ///   requested; nil if the journey goes on.
    static func judge(
        _ questions: [AttributeQuestion], _ answers: JourneyAnswers
    ) -> [(question: AttributeQuestion, failed: [JSONValue])]? {
        var isOver = true
        let judged = questions.enumerated().map { position, question in
            let value = answers.value(position, "") ?? .null
            let failed = question.failures(value)
            if !failed.isEmpty || answers.value(position, "validateOnly") == true { isOver = false }
            var question = question
            if question.value != nil { question.value = value }
            return (question, failed)
        }
        return isOver ? nil : judged
    }

    /// A failed policy in AM's most common shape: JSON within a text.
    static func failure(_ requirement: String, _ params: JSONObject = [:]) -> JSONValue {
        var failure: JSONObject = [:]
        if !params.isEmpty { failure["params"] = .object(params) }
        failure["policyRequirement"] = .string(requirement)
        return .string(failure.text)
    }
}
