public import JSON
public import Orchestrate

/// Asks for a text attribute of the user's profile that has to meet policies.
public struct StringAttributeInputCallback: JourneyCallback {
    /// The type on the wire.
    public static let wireType = "StringAttributeInputCallback"
    /// The callback as received.
    public let raw: RawCallback
    /// The attribute with its label and policies.
    public let attribute: AttributeInput

    /// Reads a callback.
    public init(_ raw: RawCallback) {
        self.raw = raw
        attribute = AttributeInput(raw)
    }

    private var value: String { attribute.value { $0.string.flatMap { $0.isEmpty ? nil : $0 } } ?? "" }

    /// The attribute, the label, the policies and the initial value of the field.
    public var members: JSONObject { attribute.members(value: .string(value)) }

    /// A text; an object with `value` and `validateOnly` if the server can validate without continuing the journey.
    public var answerSchema: JSONObject? {
        let autofill = autofill
        var text = AnswerSchema.text(attribute.validated.prompt, default: value, autofill: autofill)
        if autofill == .email { text["format"] = "email" }
        return attribute.validated.schema(of: text)
    }

    /// The autofill hint for the attributes of the schema that AM installs.
    private var autofill: AnswerSchema.Autofill? {
        switch attribute.name {
        case "userName": .username
        case "mail": .email
        case "telephoneNumber": .phone
        default: nil
        }
    }

    /// The reason to refuse an answer; nil when the answer can be sent.
    public func refusal(of answer: JSONValue) -> AnswerRefusal? {
        attribute.validated.refusal(of: answer) { AnswerCheck.text($0) }
    }

    /// Fills the inputs for the value and for `validateOnly`.
    public func fill(_ answer: JSONValue, _ inputs: inout CallbackInputs) { attribute.validated.fill(answer, &inputs) }
}

extension StringAttributeInputCallback: AnsweredCallback {
    /// The text as the page takes it.
    public func json(of answer: String) -> JSONValue { attribute.validated.wrapped(.string(answer)) }
    /// The text; nil for anything else.
    public func answer(of json: JSONValue) -> String? { attribute.validated.unwrapped(json)?.string }
}
