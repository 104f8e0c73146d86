internal import Basics
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

    /// A one-time code where a word of the stage says so, whatever the language of the prompt.
    ///
    /// `OneTimePassword`, `one-time`, `otp` and `HOTP` do. A stage that is JSON has texts in place of words.
    private var autofill: AnswerSchema.Autofill {
        guard let stage = raw.page.stage, !stage.starts(withText: "{") else { return .currentPassword }
        let words = Self.words(stage)
        let saysCode = words.indices.contains { index in
            let word = words[index]
            return word.starts(withText: "otp") || word.ends(withText: "otp") || word.isSameText(as: "onetime")
                || word.isSameText(as: "time") && index > 0 && words[index - 1].isSameText(as: "one")
        }
        return saysCode ? .oneTimeCode : .currentPassword
    }

    /// The words of a name in small letters: runs of ASCII letters, each up to a capital that begins the next word.
    private static func words(_ name: String) -> [String] {
        let bytes = Array(name.utf8)
        func isCapital(_ index: Int) -> Bool { bytes.indices.contains(index) && 0x41...0x5A ~= bytes[index] }
        func isSmall(_ index: Int) -> Bool { bytes.indices.contains(index) && 0x61...0x7A ~= bytes[index] }
        var words = [""]
        for index in bytes.indices {
            if isCapital(index) && (isSmall(index - 1) || isSmall(index + 1)) { words.append("") }
            guard isCapital(index) || isSmall(index) else {
                words.append("")
                continue
            }
            words[words.count - 1].unicodeScalars.append(Unicode.Scalar(bytes[index] | 0x20))
        }
        return words.filter { !$0.isEmpty }
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
