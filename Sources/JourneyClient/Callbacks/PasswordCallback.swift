public import JSON
public import Orchestrate

/// Asks for a secret: a password, a one-time code, or the answer to a security question.
public struct PasswordCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "PasswordCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The label of the field.
    public let prompt: String
    /// The policies as received; nil on most pages.
    public let policies: JSONValue?
    /// The policies that the last value failed.
    public let failedPolicies: [FailedPolicy]

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        policies = raw.output("policies")
        failedPolicies = FailedPolicy.list(raw.output("failedPolicies"))
    }

    /// The label and the policies, if there are any; the value of the input is not shown.
    public var members: JSONObject {
        var members: JSONObject = ["prompt": .string(prompt)]
        members["policies"] = policies
        if !failedPolicies.isEmpty { members["failedPolicies"] = FailedPolicy.document(failedPolicies) }
        return members
    }

    /// A text that is never shown.
    public var answerSchema: JSONObject? { AnswerSchema.secret(prompt, autofill: autofill) }

    /// Two password fields on a page ask for a new password; the first of three or more asks for the current one.
    private var autofill: AnswerSchema.Autofill {
        if raw.page.asksForCode { return .oneTimeCode }
        let all = raw.page.passwords
        return all.count > 1 && !(all.count > 2 && all.first == raw.index) ? .newPassword : .currentPassword
    }

    /// The reason to refuse a text; nil when the text can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.text(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension PasswordCallback: AnsweredCallback {
    /// The password as typed.
    public typealias Answer = String
}
