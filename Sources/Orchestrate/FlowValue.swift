public import Basics
public import HTTPCore

/// A value of the flow context with a hand-written form.
///
/// For what every step touches: `Codable` costs some hundred times as much.
public protocol FlowValue: Codable, Sendable {
    /// The first byte of the form: no other type has it, and a form that changes gets another.
    static var form: UInt8 { get }

    /// Writes the value.
    func write(into writer: inout RecordWriter)

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    init(from reader: inout RecordReader) throws(RecordError)
}

extension CookieJar: FlowValue {
    /// Cookies begin with 1.
    public static var form: UInt8 { 1 }
}

extension Bool: FlowValue {
    /// A flag begins with 2.
    public static var form: UInt8 { 2 }

    /// Writes one byte.
    public func write(into writer: inout RecordWriter) {
        writer.write(self)
    }

    /// Reads one byte.
    ///
    /// - Throws: `RecordError` for anything but 0 and 1.
    public init(from reader: inout RecordReader) throws(RecordError) {
        self = try reader.bool()
    }
}

/// The text of a hand-written value, among the JSON texts of the others: a tilde, which begins no JSON, and base64url.
enum FlowText {
    private static let mark = UInt8(ascii: "~")

    static func write<Value: FlowValue>(_ value: Value) -> String {
        "~" + Base64URL.encode(FlowValueRecord(value).encoded)
    }

    /// Whether a text is of this form.
    static func isHandWritten(_ text: String) -> Bool { text.utf8.first == mark }

    /// Nil for anything that `write` did not write for this type.
    static func read<Value: FlowValue>(_ text: String, as type: Value.Type) -> Value? {
        guard isHandWritten(text), let bytes = Base64URL.decode(text.utf8.dropFirst()) else { return nil }
        return (try? FlowValueRecord<Value>(decoding: bytes))?.value
    }
}

/// A value of the flow context as a record; its form stands where others have their version.
struct FlowValueRecord<Value: FlowValue>: RecordCodable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static var version: UInt8 { Value.form }
    var estimatedByteCount: Int { 128 }

    func write(into writer: inout RecordWriter) { value.write(into: &writer) }

    init(from reader: inout RecordReader) throws(RecordError) { value = try Value(from: &reader) }
}
