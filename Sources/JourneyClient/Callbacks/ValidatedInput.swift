public import JSON
internal import Orchestrate

/// The common part of callbacks whose value the server checks against policies.
///
/// With a `validateOnly` input the answer is an object `{value, validateOnly}`. Older servers send no such input, and
/// the answer is the bare value.
public struct ValidatedInput: Sendable, Equatable {
    /// The label, usually the last of the outputs.
    public let prompt: String
    /// The policies as received: an object, a list, or nil.
    public let policies: JSONValue?
    /// The policies that the last value failed.
    public let failedPolicies: [FailedPolicy]
    /// True if the server only validated the last answer.
    public let validateOnly: Bool
    let validateOnlyInput: Int?
    let valueInput: Int?

    init(_ raw: RawCallback) {
        prompt = raw.text("prompt")
        policies = raw.output("policies")
        failedPolicies = FailedPolicy.list(raw.output("failedPolicies"))
        validateOnly = raw.output("validateOnly")?.bool ?? false
        let flag = raw.input(endingWith: "validateOnly")
        validateOnlyInput = flag
        valueInput = raw.inputs.indices.first { $0 != flag }
    }

    var members: JSONObject {
        var members: JSONObject = ["prompt": .string(prompt)]
        if let policies { members["policies"] = policies }
        members["failedPolicies"] = FailedPolicy.document(failedPolicies)
        members["validateOnly"] = .bool(validateOnly)
        return members
    }

    func schema(of value: JSONObject) -> JSONObject {
        guard validateOnlyInput != nil else { return value }
        let flag = AnswerSchema.hidden(AnswerSchema.boolean("", default: false))
        return AnswerSchema.object(["value": .object(value), "validateOnly": .object(flag)], required: ["value"])
    }

    func refusal(of answer: JSONValue, value check: @escaping (JSONValue?) -> AnswerRefusal?) -> AnswerRefusal? {
        guard validateOnlyInput != nil else { return check(answer) }
        return AnswerCheck.object(
            answer, ["value": check, "validateOnly": AnswerCheck.optional(AnswerCheck.boolean)])
    }

    func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        guard validateOnlyInput != nil else { return inputs.set(valueInput, answer) }
        if let value = answer["value"] { inputs.set(valueInput, value) }
        inputs.set(validateOnlyInput, .bool(answer["validateOnly"]?.bool ?? false))
    }
}

extension ValidatedInput {
    /// The bare answer, or an object with `value` if the callback has a `validateOnly` input.
    func wrapped(_ value: JSONValue) -> JSONValue {
        validateOnlyInput == nil ? value : ["value": value]
    }

    func unwrapped(_ json: JSONValue) -> JSONValue? {
        validateOnlyInput == nil ? json : json["value"]
    }
}
