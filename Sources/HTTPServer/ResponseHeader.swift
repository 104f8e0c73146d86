public import HTTPCore

/// One header field of a response, checked once when it is made.
public struct ResponseHeader: Sendable, Hashable {
    /// What the listener does with a field.
    enum Handling: Sendable {
        /// Sent as it is.
        case send
        /// The listener sets this one itself, or it has no value.
        case drop
        /// `Connection: close`.
        case close
        /// Not a field: the response would be split or cut.
        case broken
    }

    /// The name as it is sent.
    public let name: String
    /// The value; bytes that are no UTF-8 are shown as replacement characters.
    public let value: String
    /// The value as it is sent, where it is no UTF-8.
    private let bytes: [UInt8]?
    let handling: Handling

    /// Makes a field.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110 section 5.6.2).
    ///   - value: Without control characters; a response that breaks this is replaced by a 500 and logged.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
        bytes = nil
        handling = Self.judge(name, value)
    }

    /// A field that was checked when it was read, such as one that an API sent.
    ///
    /// It is sent as it came, bytes that are no UTF-8 too.
    public init(_ field: HTTPField) {
        name = field.name.rawName
        value = field.value
        bytes = field.isText ? nil : field.withValueBytes { Array($0) }
        handling = Self.judge(name, value)
    }

    /// Lends the bytes of the value as they are sent.
    public func withValueBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let bytes { return bytes.withUnsafeBytes(body) }
        var value = value
        return value.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }

    private static func judge(_ name: String, _ value: String) -> Handling {
        let isField =
            all(name) { RequestHeadParser.isToken($0) } && all(value) { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isField, !name.isEmpty else { return .broken }
        switch name.utf8.count {
        case 4 where isSame(name, "date"): return .drop
        case 14 where isSame(name, "content-length"): return .drop
        case 17 where isSame(name, "transfer-encoding"): return .drop
        case 10 where isSame(name, "connection"): return isSame(value, "close") ? .close : .drop
        default: return .send
        }
    }

    /// Whether all bytes pass; each field of each response comes by here, so they are read in place.
    private static func all(_ text: String, _ isFine: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where !isFine(byte) { return false }
            return true
        }
    }

    /// Whether a text is this one in lower case, whatever the case of its ASCII letters.
    private static func isSame(_ text: String, _ lower: StaticString) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count == lower.utf8CodeUnitCount else { return false }
            for index in bytes.indices {
                let byte = bytes[index]
                let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z")
                guard (isUpper ? byte | 0x20 : byte) == lower.utf8Start[index] else { return false }
            }
            return true
        }
    }
}
