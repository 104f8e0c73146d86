internal import Basics
public import JSON

/// One field of a form as it came, read leniently: members may be missing or of another type.
public struct CollectorField: Sendable {
    /// The id of its question, unique on the page.
    public let id: String
    /// The name under which its value goes back; nil where it has none.
    public let key: String?
    /// The type on the wire; empty where it has none.
    public let type: String
    /// The field as received.
    public let json: JSONValue
    /// What it is filled with: the value of `formData` under its key.
    public let value: JSONValue?
    /// The policy of the whole page, which older tenants have in place of those of fields.
    let pagePolicy: PasswordPolicy?

    /// The text beside it; empty where it has none.
    let label: String

    /// A field whose key has been read.
    init(_ json: JSONValue, id: String, key: String?, value: JSONValue?, pagePolicy: PasswordPolicy?) {
        self.json = json
        self.id = id
        self.key = key
        self.value = value
        self.pagePolicy = pagePolicy
        type = json["type"]?.string ?? ""
        label = json["label"]?.string ?? ""
    }

    /// The key of a field; nil where it has none that could name a value.
    static func key(of json: JSONValue) -> String? {
        json["key"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A text; empty when it is missing or no text.
    func text(_ name: String) -> String { json[name]?.string ?? "" }

    /// A truth value.
    func flag(_ name: String, default value: Bool = false) -> Bool { json[name]?.bool ?? value }

    /// A whole number, which some connectors write as text, held within bounds.
    func integer(_ name: String, in bounds: ClosedRange<Int64>, default value: Int64) -> Int64 {
        let found = json[name]?.int ?? json[name]?.string.flatMap { Int64($0) }
        return found.map { min(max($0, bounds.lowerBound), bounds.upperBound) } ?? value
    }

    var isRequired: Bool { flag("required") }
    /// What it is filled with, when that is a text.
    var valueText: String { value?.string ?? "" }

    /// The members that questions with a value begin with.
    var labelled: JSONObject {
        var members = JSONObject()
        members["label"] = .string(label)
        members["required"] = .bool(isRequired)
        return members
    }

    /// One of `options`.
    struct Option: Sendable {
        let label: String
        let value: String
    }

    /// The texts and values of `options`; those without a value are left out.
    var options: [Option] {
        (json["options"]?.array ?? []).compactMap { option in
            option["value"]?.string.map { Option(label: option["label"]?.string ?? $0, value: $0) }
        }
    }

    /// An address that a browser may load a picture from.
    static func picture(_ json: JSONValue?) -> JSONValue? {
        json?.string.flatMap { $0.starts(withText: "https://") ? .string($0) : nil }
    }
}
