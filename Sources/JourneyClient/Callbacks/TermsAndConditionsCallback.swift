public import JSON
public import Orchestrate

/// Asks to accept terms.
public struct TermsAndConditionsCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TermsAndConditionsCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// Which version of the terms it is.
    public let version: String
    /// What is to be accepted.
    public let terms: String
    /// When they were written, in the server's words.
    public let createDate: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        version = raw.text("version")
        terms = raw.text("terms")
        createDate = raw.text("createDate")
    }

    /// The terms with version and date.
    public var members: JSONObject {
        ["version": .string(version), "terms": .string(terms), "createDate": .string(createDate)]
    }

    /// Whether they are accepted; the terms stand beside the question, as the wire has no label.
    public var answerSchema: JSONObject? {
        var schema = AnswerSchema.boolean(
            "I accept the terms and conditions", default: raw.inputs.first?.value.bool ?? false)
        if !terms.isEmpty { schema["description"] = .string(terms) }
        return schema
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.boolean(answer) }

    /// Fills the one input.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension TermsAndConditionsCallback: AnsweredCallback {
    /// Whether the user accepts.
    public typealias Answer = Bool
}
