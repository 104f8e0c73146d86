internal import JSON
internal import Orchestrate

/// What a collector takes: how its answer is judged, and what of it is sent.
enum CollectorInput: Sendable {
    /// Nothing: a text, a picture.
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

    /// Whether there is an answer to it.
    var takesAnswer: Bool {
        switch self {
        case .nothing, .poll, .button: false
        default: true
        }
    }

    /// JSON Schema of the answer to a field; empty where there is none.
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

    /// What is wrong with the form of an answer, whatever button was pressed; nil when it can be sent.
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

    /// What is wrong with a value when the page is submitted.
    ///
    /// - Parameters:
    ///   - answer: The answer, whose form is good; nil for none.
    ///   - isRequired: Whether the form wants a value.
    /// - Returns: Every fault; a value that is missing has no others.
    func faults(of answer: JSONValue?, isRequired: Bool) -> [AnswerRefusal] {
        if case .boolean(let input) = self { return isRequired && !input.value(answer) ? [input.missing] : [] }
        let value = value(answer)
        if isRequired, value == nil { return [AnswerRefusal(.required, "an answer is missing")] }
        return switch self {
        case .text(let input): input.faults(of: value?.string)
        case .password(let input): input.faults(of: answer)
        default: []
        }
    }

    /// What stands in the form data under the field's key; nil for nothing.
    ///
    /// - Parameter answer: The answer, whose form is good; nil for none, and then what the form was filled with counts.
    /// - Returns: The value on the wire.
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

    /// Whether what was entered stands on the page again after a refusal: no secret, and nothing that is good for once.
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

/// What pressing a button means.
enum CollectorButton: Sendable, Equatable {
    /// Sends the page; it is checked first.
    case submit
    /// Leaves the page by another way of the flow, which needs nothing of it.
    case action
    /// Leads to another identity provider, at an address for the browser alone; nil where it leads nowhere.
    case departure(address: String?)
}
