extension JSONValue {
    /// The value as compact JSON: members in order, numbers as they came, only what must be escaped is.
    public func serialized() -> [UInt8] {
        var out = [UInt8]()
        out.reserveCapacity(512)
        write(into: &out)
        return out
    }

    /// Appends the value as compact JSON.
    public func write(into out: inout [UInt8]) {
        switch self {
        case .null: out.append(ascii: "null")
        case .bool(true): out.append(ascii: "true")
        case .bool(false): out.append(ascii: "false")
        case .number(let number): out.append(contentsOf: number.lexeme.utf8)
        case .string(let text): out.append(quoted: text)
        case .array(let elements):
            out.append(UInt8(ascii: "["))
            var first = true
            for element in elements {
                if !first { out.append(UInt8(ascii: ",")) }
                first = false
                element.write(into: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let object): object.write(into: &out)
        }
    }

    /// The value as compact JSON text.
    public var text: String { String(decoding: serialized(), as: UTF8.self) }
}

extension JSONObject {
    /// The object as compact JSON, see `JSONValue.serialized()`.
    public func serialized() -> [UInt8] {
        var out = [UInt8]()
        out.reserveCapacity(512)
        write(into: &out)
        return out
    }

    /// Appends the object as compact JSON.
    public func write(into out: inout [UInt8]) {
        out.append(UInt8(ascii: "{"))
        var first = true
        for member in members {
            if !first { out.append(UInt8(ascii: ",")) }
            first = false
            out.append(quoted: member.name)
            out.append(UInt8(ascii: ":"))
            member.value.write(into: &out)
        }
        out.append(UInt8(ascii: "}"))
    }

    /// The object as compact JSON text.
    public var text: String { String(decoding: serialized(), as: UTF8.self) }
}

extension [UInt8] {
    mutating func append(ascii text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a string with its quotes.
    ///
    /// Runs that need no escape are copied whole.
    mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            var start = 0
            while let index = Self.escape(in: bytes, from: start) {
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<index]))
                start = index + 1
                appendEscape(bytes[index])
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start...]))
        }
        append(UInt8(ascii: "\""))
    }

    /// The position of the first byte that must be escaped, found eight bytes at a time.
    private static func escape(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let raw = UnsafeRawBufferPointer(bytes)
        var index = start
        while index &+ 8 <= raw.count {
            let word = raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // As in `JSONLexer.skipPlain`, but that bytes beyond ASCII need no escape.
            let finds =
                ((word &- (ones &* 0x20)) & ~word
                    | (quote &- ones) & ~quote
                    | (backslash &- ones) & ~backslash) & highs
            if finds != 0 { return index &+ UInt64(littleEndian: finds).trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < raw.count {
            let byte = raw[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            index &+= 1
        }
        return nil
    }

    private mutating func appendEscape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): append(ascii: "\\\"")
        case UInt8(ascii: "\\"): append(ascii: "\\\\")
        case 0x08: append(ascii: "\\b")
        case 0x09: append(ascii: "\\t")
        case 0x0A: append(ascii: "\\n")
        case 0x0C: append(ascii: "\\f")
        case 0x0D: append(ascii: "\\r")
        default:
            append(ascii: "\\u00")
            append(UInt8(ascii: "0") + (byte >> 4))
            let low = byte & 0xF
            append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}
