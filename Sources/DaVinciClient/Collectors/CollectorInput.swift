internal import JSON
internal import Orchestrate

/// The input of a collector: checks answers and makes the value to send.
enum CollectorInput: Sendable {
    /// No input: a text, a picture.
    case nothing
    case text(TextInput)
    case password(PasswordInput)
    case choice(ChoiceInput)
    case boolean(BooleanInput)
    case deviceType(DeviceTypeInput)
    case device(DeviceInput)
    case phone(PhoneInput)
    case credential(FidoRequest)
    case metadata
    case recognize
    case poll(PollRequest)
    case button(CollectorButton)

    /// True if the input takes an answer.
    var takesAnswer: Bool {
        switch self {
        case .nothing, .poll, .button: false
        default: true
        }
    }

    /// JSON Schema of the answer to a field; empty for an input without one.
    func schema(_ field: CollectorField) -> JSONObject {
        switch self {
        case .nothing, .poll, .button: JSONObject()
        case .text(let input): input.schema(field)
        case .password(let input): input.schema(field.label)
        case .choice(let input): input.schema(field)
        case .boolean(let input): AnswerSchema.boolean(field.label, default: input.isOn)
        case .deviceType(let input): AnswerSchema.choice(field.label, type: "string", input.choices)
        case .device(let input): input.schema(field.label)
        case .phone(let input): input.schema(field, extensionLabel: field.text("extensionLabel"))
        case .credential: FidoRequest.schema
        case .metadata: AnswerSchema.hidden(["type": "object"])
        case .recognize: RecognizeAnswer.schema
        }
    }

    /// The reason why the form of an answer is not valid, regardless of the button; nil if the answer can be sent.
    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        switch self {
        case .nothing, .poll, .button: AnswerRefusal(.notAnswerable, "the question takes no answer")
        case .text(let input): AnswerCheck.text(answer, limit: input.limit)
        case .password(let input): input.refusal(of: answer)
        case .choice(let input): input.refusal(of: answer)
        case .boolean: AnswerCheck.boolean(answer)
        case .deviceType(let input): AnswerCheck.choice(answer, of: input.types)
        case .device(let input): AnswerCheck.choice(answer, of: input.ids)
        case .phone(let input): input.refusal(of: answer)
        case .credential(let request): request.refusal(of: answer)
        case .metadata: AnswerCheck.document(answer)
        case .recognize: RecognizeAnswer.refusal(of: answer)
        }
    }

    /// The reasons to refuse a value when the page is submitted.
    ///
    /// - Parameters:
    ///   - answer: The answer, in a valid form; nil for none.
    ///   - isRequired: True if the form requires a value.
    /// - Returns: All reasons; a missing value is the only one.
    func refusals(of answer: JSONValue?, isRequired: Bool) -> [AnswerRefusal] {
        if case .boolean(let input) = self { return isRequired && !input.value(answer) ? [input.missing] : [] }
        let value = value(answer)
        if isRequired, value == nil { return [AnswerRefusal(.required, "an answer is missing")] }
        return switch self {
        case .text(let input): input.refusals(of: value?.string)
        case .password(let input): input.refusals(of: answer)
        default: []
        }
    }

    /// The value in the form data under the field's key; nil for none.
    ///
    /// - Parameter answer: The answer, in a valid form; nil for none, and then the prefilled value counts.
    /// - Returns: The value to send.
    func value(_ answer: JSONValue?) -> JSONValue? {
        switch self {
        case .nothing, .poll, .button: nil
        case .text(let input): Self.filled(answer ?? .string(input.value))
        case .password: Self.filled(answer?["value"] ?? answer)
        case .choice(let input): Self.filled(answer ?? input.value)
        case .boolean(let input): .bool(input.value(answer))
        case .deviceType: answer
        case .device(let input): input.value(answer)
        case .phone(let input): input.value(answer)
        case .credential(let request): request.value(answer)
        case .metadata: answer
        case .recognize: answer.map { RecognizeAnswer.value($0) }
        }
    }

    /// True if the page shows the entered value again after a refusal: false for secrets and single-use values.
    var isKept: Bool {
        switch self {
        case .text(let input): !input.isProtect
        case .choice, .boolean, .phone: true
        default: false
        }
    }

    private static func filled(_ value: JSONValue?) -> JSONValue? {
        switch value {
        case .string(let text) where text.isEmpty: nil
        case .array(let values) where values.isEmpty: nil
        default: value
        }
    }
}

/// The action of a button.
enum CollectorButton: Sendable, Equatable {
    /// Sends the page, after its answers were checked.
    case submit
    /// Leaves the page by another branch of the flow, which needs no answers.
    case action
    /// Leads to another identity provider, at an address for the browser alone; nil for a disabled button.
    case departure(address: String?)
}
