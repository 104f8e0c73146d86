internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `SINGLE_CHECKBOX`: yes or no; a required one wants a yes.
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

/// Yes or no; a no is sent as well.
struct BooleanInput: Sendable {
    /// What the field is filled with.
    let isOn: Bool
    /// What a no to a required one is told.
    let missing: AnswerRefusal

    init(_ field: CollectorField) {
        isOn = field.value?.bool ?? false
        let message = field.text("errorMessage")
        missing = AnswerRefusal(.required, message.isEmpty ? "the answer must be yes" : message)
    }

    func value(_ answer: JSONValue?) -> Bool { answer?.bool ?? isOn }
}
