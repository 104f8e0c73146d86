import Basics

/// What somebody has brought back, until the page that they left from goes on with it.
struct ArrivalRecord: Sendable, Equatable {
    /// The page that they left from.
    var page: FlowPlace
    /// What goes on to the provider.
    var parameters: [String: String]
}

extension ArrivalRecord: RecordCodable {
    static let version: UInt8 = 1

    func write(into writer: inout RecordWriter) {
        page.write(into: &writer)
        writer.write(parameters.sorted { $0.key < $1.key }) { writer, parameter in
            writer.write(parameter.key)
            writer.write(parameter.value)
        }
    }

    init(from reader: inout RecordReader) throws(RecordError) {
        page = try FlowPlace(&reader)
        let pairs = try reader.list { reader throws(RecordError) in (try reader.string(), try reader.string()) }
        parameters = Dictionary(pairs) { _, last in last }
    }
}
