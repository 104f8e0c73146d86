public import JSON
public import Orchestrate

/// Asks the user to accept terms and conditions.
public struct TermsAndConditionsCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "TermsAndConditionsCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The version of the terms.
    public let version: String
    /// The text of the terms.
    public let terms: String
    /// The date of the terms, in the server's words.
    public let createDate: String

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        version = raw.text("version")
        terms = raw.text("terms")
        createDate = raw.text("createDate")
    }

    /// The terms with their version and date.
    public var members: JSONObject {
        ["version": .string(version), "terms": .string(terms), "createDate": .string(createDate)]
    }

    /// A boolean, true for acceptance; the schema contains the terms as its description, because AM sends no label.
    public var answerSchema: JSONObject? {
        var schema = AnswerSchema.boolean(
            "I accept the terms and conditions", default: raw.inputs.first?.value.bool ?? false)
        if !terms.isEmpty { schema["description"] = .string(terms) }
        return schema
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.boolean(answer) }

    /// Fills the only input of the callback.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { inputs.set(0, answer) }
}

extension TermsAndConditionsCallback: AnsweredCallback {
    /// True if the user accepts the terms.
    public typealias Answer = Bool
}
