internal import CYAML

/// One event of libyaml with its texts copied out.
struct YAMLEvent {
    enum Kind {
        /// The start or end of a stream or document.
        case documentStart, documentEnd, streamStart, streamEnd
        case alias(String)
        case scalar(String, isPlain: Bool, tag: YAMLTag?, anchor: String?)
        case sequenceStart(tag: YAMLTag?, anchor: String?)
        case sequenceEnd
        case mappingStart(tag: YAMLTag?, anchor: String?)
        case mappingEnd
    }

    let kind: Kind
    let mark: YAMLMark

    /// Copies; the event is still the caller's to delete.
    init(_ event: borrowing yaml_event_t) {
        mark = YAMLMark(event.start_mark)
        kind =
            switch event.type {
            case YAML_STREAM_START_EVENT: .streamStart
            case YAML_DOCUMENT_START_EVENT: .documentStart
            case YAML_DOCUMENT_END_EVENT: .documentEnd
            case YAML_ALIAS_EVENT: .alias(Self.text(event.data.alias.anchor) ?? "")
            case YAML_SCALAR_EVENT: Self.scalar(event)
            case YAML_SEQUENCE_START_EVENT:
                .sequenceStart(
                    tag: Self.tag(event.data.sequence_start.tag), anchor: Self.text(event.data.sequence_start.anchor))
            case YAML_SEQUENCE_END_EVENT: .sequenceEnd
            case YAML_MAPPING_START_EVENT:
                .mappingStart(
                    tag: Self.tag(event.data.mapping_start.tag), anchor: Self.text(event.data.mapping_start.anchor))
            case YAML_MAPPING_END_EVENT: .mappingEnd
            // The stream's end, or no event, which is what there is after it.
            default: .streamEnd
            }
    }

    /// The length is counted because `"\0"` is a text with NUL in it.
    private static func scalar(_ event: borrowing yaml_event_t) -> Kind {
        let bytes = UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length)
        return .scalar(
            String(decoding: bytes, as: UTF8.self), isPlain: event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE,
            tag: tag(event.data.scalar.tag), anchor: text(event.data.scalar.anchor))
    }

    private static func tag(_ name: UnsafePointer<UInt8>?) -> YAMLTag? { text(name).map { YAMLTag(fullName: $0) } }

    private static func text(_ bytes: UnsafePointer<UInt8>?) -> String? { bytes.map { String(cString: $0) } }
}

extension YAMLMark {
    init(_ mark: yaml_mark_t) { self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1) }
}
