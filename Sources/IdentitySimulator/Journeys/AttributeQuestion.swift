internal import JSON

/// A question whose answer has to meet policies: its callback, and what it makes of an answer.
struct AttributeQuestion: Sendable {
    /// The type on the wire.
    let type: String
    /// What AM says of it, but what is the same of all.
    let output: JSONObject
    /// What the field begins with; nil where nothing is said before an answer, and nothing repeated after it.
    var value: JSONValue?
    /// Whether the input for a check without going on is there; older servers have none.
    var canCheck = true
    /// What an answer does not meet, in the shapes that AM has for it.
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

    /// The same with policies in another shape.
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
            // It comes last, behind the texts that may contain the word.
            let prompt = output["prompt"]
            output["prompt"] = nil
            output["prompt"] = prompt
        } else {
            output["value"] = value
        }
        page.add(type, output, input: canCheck ? ["": value ?? "", "validateOnly": false] : ["": value ?? ""])
    }

    /// Judges the answers to questions that stand at the beginning of a page.
    ///
    /// - Returns: The same questions with what was answered and what it does not meet, where something is not met or where a
    ///   check alone was wished for; nil where the journey goes on.
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

    /// A failed policy as AM sends most of them: JSON within a text.
    static func failure(_ requirement: String, _ params: JSONObject = [:]) -> JSONValue {
        var failure: JSONObject = [:]
        if !params.isEmpty { failure["params"] = .object(params) }
        failure["policyRequirement"] = .string(requirement)
        return .string(failure.text)
    }
}
