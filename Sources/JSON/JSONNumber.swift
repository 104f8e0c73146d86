/// A JSON number in the spelling it came in: `3`, `3.0` and `30e-1` stay what they are.
public struct JSONNumber: Sendable, Hashable {
    /// The number as written, a `number` of RFC 8259 section 6.
    public let lexeme: String

    /// A whole number.
    public init(_ value: Int64) {
        lexeme = String(value)
    }

    /// The shortest spelling that reads back as the same value; nil for infinities and NaN, which JSON has not.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        lexeme = value.description
    }

    /// A number in a spelling of one's own; nil when it is not a JSON number.
    public init?(lexeme: String) {
        var lexeme = lexeme
        let valid = lexeme.withUTF8 { bytes in
            var lexer = JSONLexer(bytes)
            do throws(JSONError) { try lexer.number() } catch { return false }
            return lexer.position == bytes.count
        }
        guard valid else { return nil }
        self.lexeme = lexeme
    }

    /// A spelling that the lexer has read.
    init(scanned lexeme: String) {
        self.lexeme = lexeme
    }

    /// The exact value when it is whole and fits; nil otherwise.
    ///
    /// `3.0`, `3e0` and `30e-1` are whole.
    public var int: Int64? {
        if let value = Int64(lexeme) { return value }
        return exactInteger()
    }

    /// The nearest `Double`; nil when the number is beyond its range.
    public var double: Double? {
        guard let value = Double(lexeme), value.isFinite else { return nil }
        return value
    }

    /// Reads a spelling with fraction or exponent digit by digit, because `Double` would round beyond 2^53.
    private func exactInteger() -> Int64? {
        var digits: [UInt8] = []
        var fraction = 0
        var inFraction = false
        var rest = lexeme.utf8[...]
        let negative = rest.first == UInt8(ascii: "-")
        if negative { rest.removeFirst() }
        while let byte = rest.first, byte | 0x20 != UInt8(ascii: "e") {
            rest.removeFirst()
            if byte == UInt8(ascii: ".") {
                inFraction = true
            } else {
                digits.append(byte &- UInt8(ascii: "0"))
                if inFraction { fraction += 1 }
            }
        }
        digits = Array(digits.drop { $0 == 0 })
        if digits.isEmpty { return 0 }
        var exponent = 0
        if !rest.isEmpty {
            // An exponent too long for Int moves a nonzero digit out of any range.
            guard let written = Int(Substring(rest.dropFirst())) else { return nil }
            exponent = written
        }
        while digits.last == 0 {
            digits.removeLast()
            fraction -= 1
        }
        let (zeros, overflow) = exponent.subtractingReportingOverflow(fraction)
        guard !overflow, zeros >= 0, digits.count + min(zeros, 19) <= 19 else { return nil }
        return Self.value(digits, zeros: zeros, negative: negative)
    }

    /// The value of digits followed by zeros, nil beyond `Int64`; built downwards, as the negative range is the larger.
    private static func value(_ digits: [UInt8], zeros: Int, negative: Bool) -> Int64? {
        var value: Int64 = 0
        for digit in digits + Array(repeating: 0, count: zeros) {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, underflow) = tenfold.subtractingReportingOverflow(Int64(digit))
            guard !overflow, !underflow else { return nil }
            value = next
        }
        if negative { return value }
        return value == .min ? nil : -value
    }
}
