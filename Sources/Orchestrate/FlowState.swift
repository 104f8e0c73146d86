public import Basics

/// The state of a flow between two steps: enough for any process to take the next step.
///
/// It holds secrets of the provider (the page with its one-time key, cookies): seal it, never show it.
public struct FlowState: Sendable, Equatable {
    /// The values that the modules keep between steps.
    public var context: FlowContext
    /// The JSON of the last continue node, as received; nil when the flow is over.
    public var page: [UInt8]?

    /// Makes the state of a flow.
    public init(context: FlowContext = FlowContext(), page: [UInt8]? = nil) {
        self.context = context
        self.page = page
    }

    /// True if the flow is over and has no page to answer.
    public var isOver: Bool { page == nil }
}

extension FlowState: RecordCodable {
    /// The record version of a flow state, 1.
    public static var version: UInt8 { 1 }
    /// The size of the page plus 64 bytes.
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
    /// Shows if the flow is over, and the key names of its context.
    public var description: String { "FlowState(over: \(isOver), \(context))" }
    /// Shows if the flow is over, and the key names of its context.
    public var debugDescription: String { description }
    /// An empty mirror, so that dumping the state prints no secrets.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
