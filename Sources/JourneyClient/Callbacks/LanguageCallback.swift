public import JSON
public import Orchestrate

/// Asks for the language of the user; often without a place for the answer, and then only told.
public struct LanguageCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "LanguageCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The member of the answer and the input that it goes into, for those that there are.
    private let parts: [(name: String, input: Int)]

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        parts = [("language", "Language"), ("country", "Country")].compactMap { name, suffix in
            raw.input(endingWith: suffix).map { (name, $0) }
        }
    }

    /// What the inputs come filled with.
    public var members: JSONObject {
        JSONObject(parts.map { ($0.name, .string(raw.filledText($0.input))) })
    }

    /// A text for each input.
    public var answerSchema: JSONObject? {
        guard !parts.isEmpty else { return nil }
        let texts = parts.map { part in
            (part.name, JSONValue.object(AnswerSchema.text(part.name, default: raw.filledText(part.input))))
        }
        return AnswerSchema.object(JSONObject(texts), required: parts.map(\.name))
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard !parts.isEmpty else { return AnswerRefusal(.notAnswerable, "the page has no place for an answer") }
        return AnswerCheck.object(answer, each: parts.map { ($0.name, { AnswerCheck.text($0) }) })
    }

    /// Fills the inputs that there are.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for part in parts {
            if let value = answer[part.name] { inputs.set(part.input, value) }
        }
    }
}

extension LanguageCallback: AnsweredCallback {
    /// `language` and `country`.
    public typealias Answer = JSONObject
}
