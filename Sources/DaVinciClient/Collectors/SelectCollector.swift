internal import Basics
internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `DROPDOWN` and `RADIO`: one of several options.
    static let singleSelect = CollectorKind(name: "SingleSelectCollector") { field in
        let input = ChoiceInput(field, isMultiple: false)
        return CollectorContent(.singleValue, .choice(input)) { field in
            var members = input.members(field)
            members["style"] = field.type == "RADIO" ? "radio" : "dropdown"
            return members
        }
    }

    /// `CHECKBOX` and `COMBOBOX`: any of several options; a combobox also takes texts that the user types.
    static let multiSelect = CollectorKind(name: "MultiSelectCollector") { field in
        let input = ChoiceInput(field, isMultiple: true)
        return CollectorContent(.multiValue, .choice(input)) { field in
            var members = input.members(field)
            members["style"] = input.isOpen ? "combobox" : "checkbox"
            if input.isOpen { members["freeText"] = true }
            return members
        }
    }
}

/// A choice of one or several options.
struct ChoiceInput: Sendable {
    /// The most values of a list with free text.
    static let mostValues = 50
    /// The longest free text, in characters.
    static let longestOwnText = 256

    /// The prefilled value: a text, a list of texts, or nil.
    let value: JSONValue?
    /// True if texts besides the options are accepted.
    let isOpen: Bool
    private let isMultiple: Bool
    private let options: [CollectorField.Option]

    init(_ field: CollectorField, isMultiple: Bool) {
        self.isMultiple = isMultiple
        isOpen = field.type == "COMBOBOX"
        options = field.options
        if isMultiple {
            let values = field.value?.array?.compactMap(\.string) ?? (field.valueText.isEmpty ? [] : [field.valueText])
            var seen = Set<[UInt8]>()
            let once = values.count < 2 ? values : values.filter { seen.insert(Array($0.utf8)).inserted }
            value = .array(once.map { .string($0) })
        } else {
            value = field.valueText.isEmpty ? nil : .string(field.valueText)
        }
    }

    func members(_ field: CollectorField) -> JSONObject {
        var members = field.labelled
        members["options"] = .array(
            options.map { option in
                var shown = JSONObject()
                shown.reserveCapacity(2)
                shown["label"] = .string(option.label)
                shown["value"] = .string(option.value)
                return .object(shown)
            })
        members["value"] = value ?? ""
        return members
    }

    func schema(_ field: CollectorField) -> JSONObject {
        let choices = options.map { AnswerSchema.Choice(value: .string($0.value), title: $0.label) }
        guard isMultiple else {
            let isChosen = value.map(offers(among: 1)) ?? false
            return AnswerSchema.choice(field.label, type: "string", choices, default: isChosen ? value : nil)
        }
        let listed = AnswerSchema.choice("", type: "string", choices)
        let own: JSONValue = ["type": "string", "maxLength": .init(Int64(Self.longestOwnText))]
        var schema = JSONObject()
        schema["type"] = "array"
        if !field.label.isEmpty { schema["title"] = .string(field.label) }
        schema["items"] = isOpen ? ["anyOf": [.object(listed), own]] : .object(listed)
        schema["maxItems"] = .init(Int64(most))
        // A prefilled value that is not an option would be refused as an answer.
        let values = value?.array ?? []
        let chosen = isOpen ? values : values.filter(offers(among: values.count))
        if !chosen.isEmpty { schema["default"] = .array(chosen) }
        return schema
    }

    private var most: Int { isOpen ? Self.mostValues : options.count }

    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        guard isMultiple else {
            if let refusal = AnswerCheck.text(answer) { return refusal }
            // rule: a value is one of those that were offered | nil
            return answer == "" || offers(among: 1)(answer) ? nil : Self.notOffered
        }
        guard let values = answer.array, values.allSatisfy({ $0.string != nil }) else {
            return AnswerRefusal(.wrongType, "the answer must be a list of strings")
        }
        let isTooLong = values.contains { $0.string.map { $0.unicodeScalars.count > Self.longestOwnText } ?? false }
        if isOpen, isTooLong || values.count > most {
            return AnswerRefusal(.tooLong, "at most \(most) texts of \(Self.longestOwnText) characters")
        }
        let isRepeated = Set(values.compactMap(\.string).map { Array($0.utf8) }).count < values.count
        // rule: values are of those that were offered | nil
        return isRepeated || !isOpen && !values.allSatisfy(offers(among: values.count)) ? Self.notOffered : nil
    }

    /// A function that returns true for a value among the options; `count` is how many values it will check.
    private func offers(among count: Int) -> (JSONValue) -> Bool {
        // A set for large numbers: an answer may have thousands of values.
        guard count * options.count > 256 else {
            return { answer in options.contains { JSONValue.string($0.value) == answer } }
        }
        let offered = Set(options.map { Array($0.value.utf8) })
        return { answer in answer.string.map { offered.contains(Array($0.utf8)) } ?? false }
    }

    private static let notOffered = AnswerRefusal(.notOffered, "the answer is none of the options, or has one twice")
}
