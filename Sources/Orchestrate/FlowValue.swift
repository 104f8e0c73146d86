public import Basics
public import HTTPCore

/// A value of the flow context with a hand-written form.
///
/// For values that every step touches: `Codable` costs some hundred times as much.
public protocol FlowValue: Codable, Sendable {
    /// The first byte of the stored form: unique among types, and changed whenever the form changes.
    static var form: UInt8 { get }

    /// Writes the value.
    func write(into writer: inout RecordWriter)

    /// Reads what `write(into:)` wrote.
    ///
    /// - Throws: `.malformed` for anything else.
    init(from reader: inout RecordReader) throws(RecordError)
}

extension CookieJar: FlowValue {
    /// The form byte of cookies, 1.
    public static var form: UInt8 { 1 }
}

extension Bool: FlowValue {
    /// The form byte of a flag, 2.
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

/// The text of a hand-written value, told from the JSON texts of other values by a tilde, which begins no JSON;
/// base64url follows it.
enum FlowText {
    private static let mark = UInt8(ascii: "~")

    static func write<Value: FlowValue>(_ value: Value) -> String {
        "~" + Base64URL.encode(FlowValueRecord(value).encoded)
    }

    /// True if a text is a hand-written value.
    static func isHandWritten(_ text: String) -> Bool { text.utf8.first == mark }

    /// Reads a value; nil for a text that `write` did not produce for this type.
    static func read<Value: FlowValue>(_ text: String, as type: Value.Type) -> Value? {
        guard isHandWritten(text), let bytes = Base64URL.decode(text.utf8.dropFirst()) else { return nil }
        return (try? FlowValueRecord<Value>(decoding: bytes))?.value
    }
}

/// A value of the flow context as a record, with its form byte in place of the record version.
struct FlowValueRecord<Value: FlowValue>: RecordCodable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static var version: UInt8 { Value.form }
    var estimatedByteCount: Int { 128 }

    func write(into writer: inout RecordWriter) { value.write(into: &writer) }

    init(from reader: inout RecordReader) throws(RecordError) { value = try Value(from: &reader) }
}
