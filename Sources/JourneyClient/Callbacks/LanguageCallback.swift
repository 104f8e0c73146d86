public import JSON
public import Orchestrate

/// Asks for the user's language; often without inputs, and then it only states the language.
public struct LanguageCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "LanguageCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The members of the answer and the inputs that they fill, for the inputs that the server sent.
    private let parts: [(name: String, input: Int)]

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        parts = [("language", "Language"), ("country", "Country")].compactMap { name, suffix in
            raw.input(endingWith: suffix).map { (name, $0) }
        }
    }

    /// The values that the inputs contain.
    public var members: JSONObject {
        JSONObject(parts.map { ($0.name, .string(raw.filledText($0.input))) })
    }

    /// A text for each input; nil without inputs.
    public var answerSchema: JSONObject? {
        guard !parts.isEmpty else { return nil }
        let texts = parts.map { part in
            (part.name, JSONValue.object(AnswerSchema.text(part.name, default: raw.filledText(part.input))))
        }
        return AnswerSchema.object(JSONObject(texts), required: parts.map(\.name))
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard !parts.isEmpty else { return AnswerRefusal(.notAnswerable, "the page has no place for an answer") }
        return AnswerCheck.object(answer, each: parts.map { ($0.name, { AnswerCheck.text($0) }) })
    }

    /// Fills the inputs that the server sent.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        for part in parts {
            if let value = answer[part.name] { inputs.set(part.input, value) }
        }
    }
}

extension LanguageCallback: AnsweredCallback {
    /// An object with `language` and `country`.
    public typealias Answer = JSONObject
}
