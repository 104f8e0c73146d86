/// Reads the tokens of RFC 8259 from borrowed bytes.
///
/// The pointer is valid only while the caller lends the buffer; nothing here outlives that call.
struct JSONLexer {
    /// A string token.
    struct Text {
        /// The bytes between the quotes.
        let range: Range<Int>
        /// True if the text contains a backslash.
        let escaped: Bool
    }

    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    /// How often white space was stepped over.
    private(set) var blanks = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes
    }

    /// The byte at the position; 0, which starts no token, at the end.
    @inline(__always)
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always)
    mutating func skipWhitespace() {
        if position < bytes.count, bytes[position] <= 0x20 { skipSomeWhitespace() }
    }

    private mutating func skipSomeWhitespace() {
        blanks &+= 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): position += 1
            default: return
            }
        }
    }

    /// Steps over one expected byte.
    @inline(__always)
    mutating func expect(_ byte: UInt8) throws(JSONError) {
        guard position < bytes.count, bytes[position] == byte else { throw .syntax(offset: position) }
        position += 1
    }

    /// Steps over `true`, `false` or `null`.
    mutating func literal(_ text: StaticString) throws(JSONError) {
        for index in 0..<text.utf8CodeUnitCount { try expect(text.utf8Start[index]) }
    }

    /// Steps over a number.
    mutating func number() throws(JSONError) {
        if current == UInt8(ascii: "-") { position += 1 }
        if current == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
    }

    @inline(__always)
    private mutating func digits() throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        if position == start { throw .syntax(offset: position) }
    }

    /// Steps over a string, from quote to quote, checking escapes and UTF-8.
    @inline(__always)
    mutating func string() throws(JSONError) -> Text {
        try expect(UInt8(ascii: "\""))
        let start = position
        var escaped = false
        while true {
            skipPlain()
            guard position < bytes.count else { throw .syntax(offset: position) }
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let range = start..<position
                position += 1
                return Text(range: range, escaped: escaped)
            case UInt8(ascii: "\\"):
                escaped = true
                try escape()
            case 0..<0x20: throw .syntax(offset: position)
            case 0x80...: try multibyte()
            default: position += 1
            }
        }
    }

    /// Steps over ASCII that needs no attention, eight bytes at a time.
    @inline(__always)
    private mutating func skipPlain() {
        guard let base = UnsafeRawPointer(bytes.baseAddress) else { return }
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while position &+ 8 <= bytes.count {
            let word = base.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // The high bit of a byte is set where it is below 0x20, the quote, the backslash or not ASCII. A borrow can
            // set bits only above a true find, so the lowest one is exact.
            let finds =
                ((word &- (ones &* 0x20)) & ~word
                    | (quote &- ones) & ~quote
                    | (backslash &- ones) & ~backslash
                    | word) & highs
            if finds != 0 {
                position &+= UInt64(littleEndian: finds).trailingZeroBitCount / 8
                return
            }
            position &+= 8
        }
    }

    private mutating func escape() throws(JSONError) {
        let start = position
        position += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 1
        case UInt8(ascii: "u"):
            position += 1
            let unit = try hexadecimal()
            if UTF16.isTrailSurrogate(unit) { throw .invalidUTF8(offset: start) }
            guard UTF16.isLeadSurrogate(unit) else { return }
            guard current == UInt8(ascii: "\\"), position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "u")
            else { throw .invalidUTF8(offset: start) }
            position += 2
            guard UTF16.isTrailSurrogate(try hexadecimal()) else { throw .invalidUTF8(offset: start) }
        default: throw .syntax(offset: position)
        }
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = Self.hexadecimalDigit(current) else { throw .syntax(offset: position) }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }

    static func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// Steps over one character of two to four bytes (Unicode, table 3-7: no overlong form, no surrogate, no more than
    /// U+10FFFF).
    private mutating func multibyte() throws(JSONError) {
        let first = bytes[position]
        let second: ClosedRange<UInt8>
        let length: Int
        switch first {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw .invalidUTF8(offset: position)
        }
        guard position + length <= bytes.count, second.contains(bytes[position + 1]) else {
            throw .invalidUTF8(offset: position)
        }
        for index in 2..<max(length, 2) where bytes[position + index] & 0xC0 != 0x80 {
            throw .invalidUTF8(offset: position)
        }
        position += length
    }
}
