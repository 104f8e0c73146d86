extension [UInt8] {
    /// The bytes that a hexadecimal text spells; white space is skipped.
    ///
    /// For vectors in tests: bad text stops the run.
    public init(hex text: String) {
        let digits = text.filter { !$0.isWhitespace }.map { digit -> UInt8 in
            guard let value = digit.hexDigitValue else { preconditionFailure("not hexadecimal: \(digit)") }
            return UInt8(value)
        }
        precondition(digits.count.isMultiple(of: 2), "half a byte at the end")
        self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Lower-case hexadecimal.
    public var hex: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}
