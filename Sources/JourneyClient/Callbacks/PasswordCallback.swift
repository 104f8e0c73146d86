public import JSON
public import Orchestrate

/// Asks for a secret: a password, a one-time code, the answer to a question about oneself.
public struct PasswordCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PasswordCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// What stands beside the field.
    public let prompt: String
    /// The policies as received; nil for most pages.
    public let policies: JSONValue?
    /// What the last value did not meet.
    public let failedPolicies: [FailedPolicy]

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        policies = raw.output("policies")
        failedPolicies = FailedPolicy.list(raw.output("failedPolicies"))
    }

    /// The label, and policies where there are some; what a field came filled with is not shown.
    public var members: JSONObject {
        var members: JSONObject = ["prompt": .string(prompt)]
        members["policies"] = policies
        if !failedPolicies.isEmpty { members["failedPolicies"] = FailedPolicy.document(failedPolicies) }
        return members
    }

    /// A text that is never shown.
    public var answerSchema: JSONObject? { AnswerSchema.secret(prompt, autofill: autofill) }

    /// Two fields on a page are for a new password; of more the first is for the present one.
    private var autofill: AnswerSchema.Autofill {
        if raw.page.asksForCode { return .oneTimeCode }
        let all = raw.page.passwords
        return all.count > 1 && !(all.count > 2 && all.first == raw.index) ? .newPassword : .currentPassword
    }

    /// What is wrong with a text.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension PasswordCallback: AnsweredCallback {
    /// The password, as it was typed.
    public typealias Answer = String
}
