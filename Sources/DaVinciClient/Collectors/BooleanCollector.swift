internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `SINGLE_CHECKBOX`: yes or no; a required field needs a yes.
    static let boolean = CollectorKind(name: "BooleanCollector") { field in
        let input = BooleanInput(field)
        return CollectorContent(
            field.isRequired ? .validatedSingleValue : .singleValue, .boolean(input)
        ) { field in
            var members = field.labelled
            members["value"] = .bool(input.isOn)
            members["appearance"] = .string(field.text("appearance") == "SWITCH" ? "SWITCH" : "CHECKBOX")
            if !field.text("errorMessage").isEmpty { members["errorMessage"] = .string(field.text("errorMessage")) }
            if let rich = RichText(field.json) { members["segments"] = rich.segments }
            return members
        }
    }
}

/// A yes-or-no field; a no is sent as well.
struct BooleanInput: Sendable {
    /// The prefilled value.
    let isOn: Bool
    /// The refusal for a no to a required field.
    let missing: AnswerRefusal

    init(_ field: CollectorField) {
        isOn = field.value?.bool ?? false
        let message = field.text("errorMessage")
        missing = AnswerRefusal(.required, message.isEmpty ? "the answer must be yes" : message)
    }

    func value(_ answer: JSONValue?) -> Bool { answer?.bool ?? isOn }
}
