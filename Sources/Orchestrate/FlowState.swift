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

extension FlowState: RecordCodable {
    /// Positions begin with 1.
    public static var version: UInt8 { 1 }
    /// The page and a little.
    public var estimatedByteCount: Int { 64 + (page?.count ?? 0) }

    /// Writes page and context.
    public func write(into writer: inout RecordWriter) {
        writer.write(page) { $0.write($1) }
        writer.write(context.entries.sorted { $0.key < $1.key }) { writer, entry in
            writer.write(entry.key)
            writer.write(entry.value)
        }
    }

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    public init(from reader: inout RecordReader) throws(RecordError) {
        page = try reader.optional { reader throws(RecordError) in try reader.byteString() }
        let pairs = try reader.list { reader throws(RecordError) in
            (try reader.string(), try reader.string())
        }
        context = FlowContext(entries: Dictionary(pairs) { _, last in last })
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
