public import HTTPCore

/// One header field of a response, checked once when it is made.
public struct ResponseHeader: Sendable, Hashable {
    /// How the listener handles a field.
    enum Handling: Sendable {
        /// The field is sent as it is.
        case send
        /// The field is not sent, because the listener sets it itself.
        case drop
        /// The field is `Connection: close`: the connection closes after the response.
        case close
        /// The name or the value is not valid: it would split or cut the response.
        case broken
    }

    /// The name as it is sent.
    public let name: String
    /// The value; bytes that are not UTF-8 are shown as replacement characters.
    public let value: String
    /// The value as it is sent, if it is not UTF-8; otherwise nil.
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

    /// Makes a field from a field that was checked when it was read, such as a field that an API sent.
    ///
    /// The value is sent as it came, also if it is not UTF-8.
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

    /// True if all bytes pass; reads them in place, because each field of each response is checked here.
    private static func all(_ text: String, _ isFine: (UInt8) -> Bool) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes where !isFine(byte) { return false }
            return true
        }
    }

    /// True if a text equals `lower` without regard to the case of ASCII letters; `lower` is in lower case.
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
