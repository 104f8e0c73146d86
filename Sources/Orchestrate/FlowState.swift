public import Basics

/// Where a flow stands between two steps: enough for any process to take the next one.
///
/// It holds secrets of the provider (the page with its one-time key, cookies): seal it, never show it.
public struct FlowState: Sendable, Equatable {
    /// What the modules carry along.
    public var context: FlowContext
    /// JSON of the continue node shown last, as received; nil when the flow is over.
    public var page: [UInt8]?

    /// Makes a position in a flow.
    public init(context: FlowContext = FlowContext(), page: [UInt8]? = nil) {
        self.context = context
        self.page = page
    }

    /// Whether there is no page left to answer.
    public var isOver: Bool { page == nil }
}

extension FlowState {
    private static let version: UInt8 = 1

    /// The stored form, beginning with a format version; half the work of `Codable`.
    public func encoded() -> [UInt8] {
        var writer = RecordWriter(version: Self.version, capacity: 64 + (page?.count ?? 0))
        writer.write(page) { $0.write($1) }
        writer.write(context.entries.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(entry.value)
        }
        return writer.bytes
    }

    /// Reads the stored form.
    ///
    /// - Throws: `RecordReader.Malformed` for anything that `encoded()` did not write.
    public init(decoding bytes: [UInt8]) throws(RecordReader.Malformed) {
        var reader = try RecordReader(bytes, version: Self.version)
        page = try reader.optional { reader throws(RecordReader.Malformed) in try reader.byteString() }
        let pairs = try reader.list { reader throws(RecordReader.Malformed) in
            (try reader.string(), try reader.string())
        }
        try reader.end()
        context = FlowContext(entries: Dictionary(pairs) { _, last in last })
    }
}

extension FlowState: Codable {
    private enum CodingKeys: String, CodingKey {
        case context, page
    }

    /// Reads the form that `encode(to:)` writes.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        context = try values.decode(FlowContext.self, forKey: .context)
        page = try values.decodeIfPresent(String.self, forKey: .page).map { Array($0.utf8) }
    }

    /// Writes context and page, the page as text.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(context, forKey: .context)
        try values.encodeIfPresent(page.map { String(decoding: $0, as: UTF8.self) }, forKey: .page)
    }
}

extension FlowState: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Whether the flow is over, and the key names of its context.
    public var description: String { "FlowState(over: \(isOver), \(context))" }
    /// Whether the flow is over, and the key names of its context.
    public var debugDescription: String { description }
    /// Shows no children, so that nothing that prints values prints these.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
