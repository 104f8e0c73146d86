internal import BFFAPI
internal import Basics
internal import HTTPCore

/// How a scalar is read, and what is said when it cannot be.
struct ValueForm<Value> {
    /// The end of a sentence: `expected …`.
    let expected: String
    let parse: (String) -> Value?
}

extension ValueForm where Value == String {
    /// A text of so many bytes without control characters.
    static func text(_ expected: String, bytes: ClosedRange<Int> = 1...1024) -> Self {
        ValueForm(expected: expected) { text in
            bytes ~= text.utf8.count && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
                ? text : nil
        }
    }

    /// 1 to 32 letters, digits, `_` and `-`.
    static var name: Self {
        ValueForm(expected: "1 to 32 letters, digits, '_' or '-'") { isName($0) ? $0 : nil }
    }

    static func isName(_ text: String) -> Bool {
        1...32 ~= text.utf8.count
            && text.utf8.allSatisfy {
                ($0 | 0x20) &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-")
            }
    }

    /// Characters that a token of HTTP or a scope may have (RFC 6749 section 3.3), no space.
    static func word(_ expected: String) -> Self {
        ValueForm(expected: expected) { text in
            let isWord = text.utf8.allSatisfy {
                0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
            return 1...256 ~= text.utf8.count && isWord ? text : nil
        }
    }

    /// The name of a cookie (RFC 6265 section 4.1.1).
    static var cookieName: Self {
        ValueForm(expected: "the name of a cookie") { text in
            let separators = Set(#"()<>@,;:\"/[]?={}"#.utf8)
            let isToken = text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !separators.contains($0) }
            return 1...128 ~= text.utf8.count && isToken ? text : nil
        }
    }
}

extension ValueForm where Value == Bool {
    static var flag: Self {
        ValueForm(expected: "true or false") { ["true": true, "false": false][$0] }
    }
}

extension ValueForm where Value == Int {
    static func number(_ range: ClosedRange<Int>) -> Self {
        ValueForm(expected: "a number from \(range.lowerBound) to \(range.upperBound)") { text in
            decimal(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number of bytes with its unit.
    static func size(_ range: ClosedRange<Int>) -> Self {
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

extension ValueForm where Value == Duration {
    /// Numbers with units, the larger first: `90s`, `1h30m`.
    static func duration(_ range: ClosedRange<Duration>) -> Self {
        ValueForm(expected: "a duration from \(text(range.lowerBound)) to \(text(range.upperBound))") { text in
            parse(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    private static let units = [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)].map {
        (name: $0.0, milliseconds: Int64($0.1))
    }

    private static func parse(_ text: String) -> Duration? {
        var rest = text[...]
        var total: Int64 = 0
        var smallest = Int64.max
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            let letters = rest[digits.endIndex...].prefix { $0.isLetter }
            guard let count = decimal(digits), let unit = units.first(where: { $0.name == letters }),
                unit.milliseconds < smallest
            else { return nil }
            let (span, tooLong) = Int64(count).multipliedReportingOverflow(by: unit.milliseconds)
            let (sum, overflow) = total.addingReportingOverflow(span)
            guard !tooLong, !overflow else { return nil }
            (total, smallest) = (sum, unit.milliseconds)
            rest = rest[letters.endIndex...]
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    /// The shortest text with one unit.
    static func text(_ duration: Duration) -> String {
        let span = duration.milliseconds
        if span == 0 { return "0s" }
        let unit = units.first { span.isMultiple(of: $0.milliseconds) } ?? ("ms", 1)
        return "\(span / unit.milliseconds)\(unit.name)"
    }
}

extension ValueForm where Value == WebURL {
    static func address(_ expected: String) -> Self {
        ValueForm(expected: expected) { WebURL($0) }
    }
}

extension ValueForm where Value == AddressRange {
    /// A block of peers; one that holds the whole Internet would let everybody forge addresses.
    static var peers: Self {
        ValueForm(expected: "an address or a block like 10.0.0.0/8, not all addresses") { text in
            text.hasSuffix("/0") ? nil : AddressRange(text)
        }
    }
}

extension ValueForm {
    /// One of several words.
    static func choice(_ choices: KeyValuePairs<String, Value>) -> Self {
        let names = choices.map(\.key)
        let expected =
            names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        return ValueForm(expected: expected) { text in choices.first { $0.key == text }?.value }
    }
}

/// Decimal digits and nothing else; no sign, no leading zero.
private func decimal(_ text: some StringProtocol) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 &- 0x30 < 10 }), text.utf8.count == 1 || !text.hasPrefix("0") else {
        return nil
    }
    return Int(text)
}
