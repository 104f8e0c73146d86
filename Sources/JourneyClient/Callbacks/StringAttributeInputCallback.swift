public import JSON
public import Orchestrate

/// Asks for a text of the user's profile that has to meet policies.
public struct StringAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "StringAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    private var value: String { attribute.value { $0.string.flatMap { $0.isEmpty ? nil : $0 } } ?? "" }

    /// The attribute, label, policies, and what the field begins with.
    public var members: JSONObject { attribute.members(value: .string(value)) }

    /// A text, in an object where the server can check without going on.
    public var answerSchema: JSONObject? {
        let autofill = autofill
        var text = AnswerSchema.text(attribute.validated.prompt, default: value, autofill: autofill)
        if autofill == .email { text["format"] = "email" }
        return attribute.validated.schema(of: text)
    }

    /// What the name of the attribute tells, in the schema that AM installs.
    private var autofill: AnswerSchema.Autofill? {
        switch attribute.name {
        case "userName": .username
        case "mail": .email
        case "telephoneNumber": .phone
        default: nil
        }
    }

    /// What is wrong with an answer.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills value and flag.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension StringAttributeInputCallback: AnsweredCallback {
    /// The text as a page takes it.
    public func json(of answer: String) -> JSONValue { attribute.validated.wrapped(.string(answer)) }
    /// The text; nil for anything else.
    public func answer(of json: JSONValue) -> String? { attribute.validated.unwrapped(json)?.string }
}
