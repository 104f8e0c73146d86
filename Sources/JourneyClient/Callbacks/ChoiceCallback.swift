public import JSON
public import Orchestrate

/// Asks for one of several choices, answered by position.
public struct ChoiceCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "ChoiceCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The text above the choices.
    public let prompt: String
    /// The choices in order; a choice that is not a text is empty, so that positions stay right.
    public let choices: [String]
    /// The position of the default; 0 when the server sent no usable one.
    public let defaultChoice: Int64

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        prompt = raw.text("prompt")
        choices = (raw.output("choices")?.array ?? []).map { $0.string ?? "" }
        let wanted = raw.integer("defaultChoice") ?? 0
        defaultChoice = Int64(choices.count) > wanted && wanted >= 0 ? wanted : 0
    }

    private var positions: [Int64] { choices.indices.map { Int64($0) } }

    /// The position that is selected now: the input's value if it is one, else the default.
    private var value: Int64 {
        raw.inputs.first?.value.int.flatMap { positions.contains($0) ? $0 : nil } ?? defaultChoice
    }

    /// The label, the choices, the default and the selected position.
    public var members: JSONObject {
        [
            "prompt": .string(prompt), "choices": .array(choices.map { .string($0) }),
            "defaultChoice": .number(JSONNumber(defaultChoice)), "value": .number(JSONNumber(value)),
        ]
    }

    /// A whole number, the position of a choice.
    public var answerSchema: JSONObject? {
        let options = choices.enumerated().map { AnswerSchema.Choice(value: JSONValue(Int64($0)), title: $1) }
        return AnswerSchema.choice(
            prompt, type: "integer", options, default: choices.isEmpty ? Optional.none : JSONValue(value))
    }

    /// The reason to refuse a position; nil when it is the position of a choice.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? { AnswerCheck.choice(answer, of: positions) }

    /// Fills the input with a whole number.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) {
        if let index = answer.int { inputs.set(0, .number(JSONNumber(index))) }
    }
}

extension ChoiceCallback: AnsweredCallback {
    /// The position of the choice, from 0.
    public typealias Answer = Int64
}
