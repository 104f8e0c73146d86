internal import JSON

extension CollectorKind {
    /// A field of no known type, or no field at all: shown for what it is, and nothing is sent for it.
    static let unknown = CollectorKind(name: "UnknownCollector") { field in
        var members: JSONObject = ["providerType": .string(field.type)]
        if !field.label.isEmpty { members["label"] = .string(field.label) }
        var raw = field.json
        if var object = raw.object {
            // Links carry what is the flow's own.
            for name in ["links", "_links"] { object[name] = nil }
            raw = .object(object)
        }
        if raw.serialized().count <= 8192 { members["raw"] = raw }
        return CollectorContent(.unknown, members)
    }
}
