internal import Basics
internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `TEXT`: a text, with a pattern where the form names one.
    static let text = CollectorKind(name: "TextCollector") { field in
        let input = TextInput(field)
        let isChecked = field.json["required"] != nil || field.json["validation"] != nil
        return CollectorContent(
            isChecked ? .validatedSingleValue : .singleValue, .text(input)
        ) { field in
            var members = field.labelled
            members["value"] = .string(input.value)
            if let validation = field.json["validation"]?.object {
                var shown = JSONObject()
                for name in ["regex", "errorMessage"] { shown[name] = validation[name]?.string.map { .string($0) } }
                members["validation"] = .object(shown)
            }
            if input.isProtect { members["protect"] = true }
            return members
        }
    }
}

/// A text, or the signals of PingOne Protect instead of a text.
struct TextInput: Sendable {
    /// The prefilled value.
    let value: String
    let isProtect: Bool
    /// The autofill hint for the browser.
    let autofill: AnswerSchema.Autofill?
    /// The source of the pattern; empty for no pattern.
    private let source: String
    private let message: String

    init(_ field: CollectorField) {
        isProtect = field.type == "PROTECT" || field.key == "protectsdk"
        value = field.type == "PROTECT" ? "" : field.valueText
        let validation = field.json["validation"]
        source = validation?["regex"]?.string ?? ""
        autofill = field.key.flatMap { Self.autofill($0) }
        let message = validation?["errorMessage"]?.string ?? ""
        self.message = message.isEmpty ? "the answer does not match the pattern" : message
    }

    var limit: Int { isProtect ? AnswerCheck.longestToken : AnswerCheck.longestText }

    /// The reasons to refuse an entered text; the pattern may match anywhere in it.
    func refusals(of text: String?) -> [AnswerRefusal] {
        guard let text, let pattern = Pattern.known(source), !pattern.occurs(in: text) else { return [] }
        return [AnswerRefusal(.pattern, message)]
    }

    func schema(_ field: CollectorField) -> JSONObject {
        var schema = AnswerSchema.text(
            field.label, default: value, limit: limit, autofill: autofill)
        if Pattern.known(source) != nil { schema["pattern"] = .string(source) }
        return isProtect ? AnswerSchema.hidden(schema) : schema
    }

    /// The autofill hint for a key, by its last part: an attribute of the user.
    private static func autofill(_ key: String) -> AnswerSchema.Autofill? {
        let dot = UInt8(ascii: ".")
        guard let last = key.utf8.lastIndex(where: { $0 != dot }) else { return nil }
        let start = key.utf8[..<last].lastIndex(of: dot).map { key.utf8.index(after: $0) } ?? key.startIndex
        return switch key[start...last] {
        case "username": .username
        case "email": .email
        case "otp", "passcode": .oneTimeCode
        default: nil
        }
    }
}
