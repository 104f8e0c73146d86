/// A destination that JSON is written to.
protocol ByteSink: ~Copyable {
    mutating func append(_ byte: UInt8)
    mutating func append(_ run: UnsafeRawBufferPointer)
    /// Announces that about this many more bytes will follow.
    mutating func makeRoom(_ more: Int)
}

extension [UInt8]: ByteSink {
    mutating func append(_ run: UnsafeRawBufferPointer) { append(contentsOf: run) }
    /// Does nothing: an array that reserves exactly what it needs would grow by just that amount, each time.
    mutating func makeRoom(_ more: Int) {}
}

extension ByteSink where Self: ~Copyable {
    mutating func append(ascii text: StaticString) {
        append(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(plain text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Appends a text with its quotes.
    ///
    /// Runs that need no escape are copied whole.
    mutating func append(quoted text: String) {
        var text = text
        text.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            makeRoom(bytes.count + 2)
            append(UInt8(ascii: "\""))
            var from = 0
            while let index = Self.escape(in: bytes, from: from) {
                append(UnsafeRawBufferPointer(rebasing: bytes[from..<index]))
                from = index + 1
                appendEscape(bytes[index])
            }
            append(UnsafeRawBufferPointer(rebasing: bytes[from...]))
            append(UInt8(ascii: "\""))
        }
    }

    /// The position of the first byte that must be escaped, found eight bytes at a time.
    private static func escape(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while index &+ 8 <= bytes.count {
            let word = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
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
        while index < bytes.count {
            let byte = bytes[index]
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
