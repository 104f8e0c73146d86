internal import Basics
internal import JSON

extension CollectorKind {
    /// A field of no known type, or no field at all: shown for what it is, and nothing is sent for it.
    static let unknown = CollectorKind(name: "UnknownCollector") { field in
        CollectorContent(.unknown) { field in
            var members: JSONObject = ["providerType": .string(field.type)]
            if !field.label.isEmpty { members["label"] = .string(field.label) }
            let raw = field.json.withoutLinks
            let text = raw.text
            let isOwn = ["interactionId", "interactionToken"].contains { text.firstRange(ofText: $0) != nil }
            if text.utf8.count <= 8192, !isOwn { members["raw"] = raw }
            return members
        }
    }
}

extension JSONValue {
    /// The value without links, which carry what is the flow's own, and without ids of policies.
    fileprivate var withoutLinks: JSONValue {
        if let array { return .array(array.map(\.withoutLinks)) }
        guard let object else { return self }
        var kept = JSONObject()
        for (name, value) in object where !["links", "_links", "href", "passwordPolicy"].contains(name) {
            kept[name] = value.withoutLinks
        }
        return .object(kept)
    }
}
