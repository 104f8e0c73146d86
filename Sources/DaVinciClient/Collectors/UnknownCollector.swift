internal import Basics
internal import JSON

extension CollectorKind {
    /// A field of an unknown type, or no field at all: shown with its raw members; no value is sent for it.
    static let unknown = CollectorKind(name: "UnknownCollector") { field in
        CollectorContent(.unknown) { field in
            var members: JSONObject = ["providerType": .string(field.type)]
            if !field.label.isEmpty { members["label"] = .string(field.label) }
            var room = longest
            if let raw = field.json.withoutLinks(&room) {
                let text = raw.text
                let isOwn = ["interactionId", "interactionToken"].contains { text.firstRange(ofText: $0) != nil }
                // rule: a field that is not known is shown up to its bound | true
                if text.utf8.count <= longest, !isOwn { members["raw"] = raw }
            }
            return members
        }
    }
}

/// The longest field that is shown raw, in bytes.
private let longest = 8192

extension JSONValue {
    /// The value without links, which carry secrets of the flow, and without policy ids; nil once it exceeds `room`.
    ///
    /// `room` also counts names and punctuation, because a page may have tens of thousands of members.
    fileprivate func withoutLinks(_ room: inout Int) -> JSONValue? {
        if let array {
            var kept: [JSONValue] = []
            for value in array {
                room -= 1
                guard room >= 0, let value = value.withoutLinks(&room) else { return nil }
                kept.append(value)
            }
            return .array(kept)
        }
        guard let object else { return self }
        var kept = JSONObject()
        for (name, value) in object where !["links", "_links", "href", "passwordPolicy"].contains(name) {
            room -= name.utf8.count + 3
            guard room >= 0, let value = value.withoutLinks(&room) else { return nil }
            kept[name] = value
        }
        return .object(kept)
    }
}
