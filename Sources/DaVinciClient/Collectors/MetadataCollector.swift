internal import JSON
internal import Orchestrate

extension CollectorKind {
    /// `METADATA`: data for a program of another vendor, which answers with an object of its own.
    static let metadata = CollectorKind(name: "MetadataCollector") { field in
        CollectorContent(.objectValueAuto, .metadata) { field in
            ["payload": field.json["payload"] ?? .null]
        }
    }
}
