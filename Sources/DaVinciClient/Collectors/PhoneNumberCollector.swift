internal import Basics
internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `PHONE_NUMBER`: country, number, and an extension where the form asks for one.
    static let phoneNumber = CollectorKind(name: "PhoneNumberCollector") { field in
        let input = PhoneInput(field)
        return CollectorContent(
            .objectValue, .phone(input)
        ) { field in
            var members = field.labelled
            members["value"] = .object(input.prefilled)
            members["defaultCountryCode"] = .string(input.country)
            members["validatePhoneNumber"] = .bool(field.flag("validatePhoneNumber"))
            members["showExtension"] = .bool(input.hasExtension)
            if input.hasExtension { members["extensionLabel"] = .string(field.text("extensionLabel")) }
            return members
        }
    }
}

/// A phone number, as country, number and extension.
struct PhoneInput: Sendable {
    private static let longest = 64

    /// The default country, in two letters; empty for none.
    let country: String
    let hasExtension: Bool
    /// The prefilled value, with all its parts.
    let prefilled: JSONObject

    init(_ field: CollectorField) {
        hasExtension = field.flag("showExtension")
        var (country, number) = (field.text("defaultCountryCode"), field.valueText)
        self.country = country
        var rest = ""
        if let parts = field.value?.object {
            if let own = parts["countryCode"]?.string, !own.isEmpty { country = own }
            number = parts["phoneNumber"]?.string ?? ""
            rest = parts["extension"]?.string ?? ""
        }
        if let composite = Self.takeApart(number) { (country, number) = composite }
        prefilled = Self.parts(country, number, hasExtension ? rest : nil)
    }

    /// Splits the form that some values are stored in: `CA-1-+17783186380-7783186380`.
    private static func takeApart(_ text: String) -> (country: String, number: String)? {
        let parts = text.split(byte: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].utf8.count == 2, parts[0].utf8.allSatisfy(\.isLetter),
            !parts[1].isEmpty, parts[1].utf8.allSatisfy(\.isDigit), parts[2].starts(withText: "+"),
            !parts[3].isEmpty
        else { return nil }
        return (String(parts[0]), String(parts[3]))
    }

    private static func parts(_ country: String, _ number: String, _ rest: String?) -> JSONObject {
        var parts: JSONObject = ["countryCode": .string(country), "phoneNumber": .string(number)]
        if let rest { parts["extension"] = .string(rest) }
        return parts
    }

    func schema(_ field: CollectorField, extensionLabel: String) -> JSONObject {
        func text(_ title: String, _ name: String) -> JSONValue {
            .object(AnswerSchema.text(title, default: prefilled[name]?.string ?? "", limit: Self.longest))
        }
        var properties: JSONObject = ["countryCode": text("", "countryCode")]
        let number = AnswerSchema.text(
            field.label, default: prefilled["phoneNumber"]?.string ?? "", limit: Self.longest, autofill: .phone)
        properties["phoneNumber"] = .object(number)
        if hasExtension { properties["extension"] = text(extensionLabel, "extension") }
        return AnswerSchema.object(properties, required: ["phoneNumber"])
    }

    func refusal(of answer: JSONValue) -> AnswerRefusal? {
        let text = { (part: JSONValue?) in AnswerCheck.text(part, limit: Self.longest) }
        let optional = AnswerCheck.optional(text)
        let parts = [(key: "countryCode", value: optional), ("phoneNumber", text), ("extension", optional)]
        return AnswerCheck.object(answer, each: hasExtension ? parts : parts.dropLast())
    }

    /// The parts to send, with prefilled parts for missing ones; nil without a number.
    func value(_ answer: JSONValue?) -> JSONValue? {
        let given = answer?.object ?? prefilled
        guard let number = given["phoneNumber"]?.string, !number.isEmpty else { return nil }
        let country = given["countryCode"]?.string ?? prefilled["countryCode"]?.string ?? ""
        let rest = given["extension"]?.string ?? prefilled["extension"]?.string ?? ""
        return .object(Self.parts(country, number, hasExtension ? rest : nil))
    }
}
