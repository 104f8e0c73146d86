extension ValueForm where Value == Int {
    /// A number of decimal digits, without a leading zero; negative only where the range is.
    ///
    /// - Parameter range: The numbers that are taken.
    /// - Returns: The form.
    public static func number(_ range: ClosedRange<Int>) -> Self {
        ValueForm(expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            let isNegative = text.hasPrefix("-") && text != "-0"
            let value = decimal(isNegative ? text.dropFirst() : text[...]).map { isNegative ? -$0 : $0 }
            return value.flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number of bytes with its unit: `512B`, `64KiB`, `16MiB`, `1GiB`.
    ///
    /// - Parameter range: The sizes that are taken, in bytes.
    /// - Returns: The form.
    public static func size(_ range: ClosedRange<Int>) -> Self {
        ValueForm(expected: "a size from \(sizeText(range.lowerBound)) to \(sizeText(range.upperBound))") { text in
            let digits = text.prefix { $0.isASCII && $0.isNumber }
            guard let unit = sizeUnits.first(where: { $0.name == text[digits.endIndex...] }),
                let count = decimal(digits)
            else { return nil }
            let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
            return !overflow && range.contains(bytes) ? bytes : nil
        }
    }

    private static let sizeUnits = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)].map {
        (name: $0.0, bytes: $0.1)
    }

    private static func sizeText(_ bytes: Int) -> String {
        let unit = sizeUnits.first { bytes.isMultiple(of: $0.bytes) && bytes >= $0.bytes } ?? ("B", 1)
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}

extension ValueForm where Value == UInt16 {
    /// A port to listen on: 0 to 65535.
    public static var port: Self {
        let form = ValueForm<Int>.number(0...65_535)
        return ValueForm(expected: "a port from 0 to 65535") { form.parse($0).map { UInt16($0) } }
    }
}

/// Decimal digits and nothing else; no sign, no leading zero.
func decimal(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit), text.utf8.count == 1 || !text.hasPrefix("0") else {
        return nil
    }
    return Int(text)
}
