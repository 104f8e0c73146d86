internal import Basics
public import JSON

/// One field of a form as received, read leniently: members may be missing or of another type.
public struct CollectorField: Sendable {
    /// The id of the question, unique on the page.
    public let id: String
    /// The name under which the value is sent; nil for a field without one.
    public let key: String?
    /// The field's type; empty for a field without one.
    public let type: String
    /// The field as received.
    public let json: JSONValue
    /// The prefilled value: the value of `formData` under the field's key.
    public let value: JSONValue?
    /// The password policy of the whole page, which older tenants send instead of a policy per field.
    let pagePolicy: PasswordPolicy?

    /// The label; empty for a field without one.
    let label: String

    /// Makes a field whose key is known.
    init(_ json: JSONValue, id: String, key: String?, value: JSONValue?, pagePolicy: PasswordPolicy?) {
        self.json = json
        self.id = id
        self.key = key
        self.value = value
        self.pagePolicy = pagePolicy
        type = json["type"]?.string ?? ""
        label = json["label"]?.string ?? ""
    }

    /// The key of a field; nil for a field without one.
    static func key(of json: JSONValue) -> String? {
        json["key"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The text of a member; empty when the member is missing or not a text.
    func text(_ name: String) -> String { json[name]?.string ?? "" }

    /// The Boolean value of a member; the default when the member is missing or not a Boolean.
    func flag(_ name: String, default value: Bool = false) -> Bool { json[name]?.bool ?? value }

    /// The integer value of a member, which some connectors write as text, clamped to bounds.
    func integer(_ name: String, in bounds: ClosedRange<Int64>, default value: Int64) -> Int64 {
        let found = json[name]?.int ?? json[name]?.string.flatMap { Int64($0) }
        return found.map { min(max($0, bounds.lowerBound), bounds.upperBound) } ?? value
    }

    var isRequired: Bool { flag("required") }
    /// The prefilled value if it is a text, else empty.
    var valueText: String { value?.string ?? "" }

    /// The members that every question with a value starts with.
    var labelled: JSONObject {
        var members = JSONObject()
        members["label"] = .string(label)
        members["required"] = .bool(isRequired)
        return members
    }

    /// One entry of `options`.
    struct Option: Sendable {
        let label: String
        let value: String
    }

    /// The entries of `options` that have a value.
    var options: [Option] {
        (json["options"]?.array ?? []).compactMap { option in
            option["value"]?.string.map { Option(label: option["label"]?.string ?? $0, value: $0) }
        }
    }

    /// The address of a picture that a browser may load; nil for an address that is not https.
    static func picture(_ json: JSONValue?) -> JSONValue? {
        json?.string.flatMap { $0.starts(withText: "https://") ? .string($0) : nil }
    }
}
