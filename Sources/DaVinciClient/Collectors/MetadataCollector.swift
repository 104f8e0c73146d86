internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `METADATA`: something for a program of another vendor, which answers with an object of its own.
    static let metadata = CollectorKind(name: "MetadataCollector") { field in
        let anything: JSONObject = ["type": "object"]
        return CollectorContent(
            .objectValueAuto, ["payload": field.json["payload"] ?? .null], schema: AnswerSchema.hidden(anything),
            .metadata)
    }
}
