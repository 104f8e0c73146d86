/// The core schema: the types of plain scalars and tags.
///
/// - SeeAlso: YAML 1.2.2 section 10.3.
enum CoreSchema {
    // MARK: Forms

    /// The type of a plain scalar.
    static func kind(of text: String) -> YAMLScalar.Kind {
        if isNull(text) { return .null }
        if isBool(text) { return .bool }
        if isInteger(text) { return .integer }
        if isFloat(text) { return .float }
        return .text
    }

    private static func isNull(_ text: String) -> Bool { ["", "~", "null", "Null", "NULL"].contains(text) }

    private static func isBool(_ text: String) -> Bool {
        ["true", "True", "TRUE", "false", "False", "FALSE"].contains(text)
    }

    /// `[-+]?[0-9]+`, `0o[0-7]+` or `0x[0-9a-fA-F]+`.
    private static func isInteger(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        if bytes.starts(with: "0o".utf8) { return isRun(bytes.dropFirst(2)) { $0 &- 0x30 < 8 } }
        if bytes.starts(with: "0x".utf8) { return isRun(bytes.dropFirst(2)) { isDigit($0) || ($0 | 0x20) &- 0x61 < 6 } }
        return isRun(unsigned(bytes[...]), isDigit)
    }

    /// `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`, `[-+]?\.inf` or `\.nan`, these in three spellings.
    private static func isFloat(_ text: String) -> Bool {
        if isNaN(text) || isInfinity(text) { return true }
        var rest = unsigned(Array(text.utf8)[...])
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            if whole.isEmpty, fraction.isEmpty { return false }
            rest = rest.dropFirst(1 + fraction.count)
        } else if whole.isEmpty {
            return false
        }
        guard let mark = rest.first else { return true }
        return mark | 0x20 == UInt8(ascii: "e") && isRun(unsigned(rest.dropFirst()), isDigit)
    }

    private static func isNaN(_ text: String) -> Bool { [".nan", ".NaN", ".NAN"].contains(text) }

    private static func isInfinity(_ text: String) -> Bool {
        let bytes = unsigned(Array(text.utf8)[...])
        return [".inf", ".Inf", ".INF"].contains { bytes.elementsEqual($0.utf8) }
    }

    private static func unsigned(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.first == UInt8(ascii: "-") || bytes.first == UInt8(ascii: "+") ? bytes.dropFirst() : bytes
    }

    private static func isRun(_ bytes: ArraySlice<UInt8>, _ isMember: (UInt8) -> Bool) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(isMember)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    // MARK: Values

    /// The value of a text of the form of an integer; nil when it does not fit.
    static func int(_ text: String) -> Int? {
        if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
        return Int(text)
    }

    /// The value of a text of the form of a number.
    static func double(_ text: String) -> Double? {
        if isNaN(text) { return .nan }
        if isInfinity(text) { return text.hasPrefix("-") ? -.infinity : .infinity }
        if text.hasPrefix("0o") || text.hasPrefix("0x") { return int(text).map { Double($0) } }
        return Double(text)
    }

    // MARK: Tags

    /// Checks the tag of a sequence or a mapping.
    static func check(_ tag: YAMLTag?, expected: YAMLTag, at mark: YAMLMark) throws(YAMLError) {
        guard let tag, tag != expected, tag != .nonSpecific else { return }
        throw YAMLError(tag == .unknown ? .unknownTag : .misplacedTag, at: mark)
    }

    /// The type of a scalar with or without a tag.
    static func scalar(_ text: String, isPlain: Bool, tag: YAMLTag?, at mark: YAMLMark) throws(YAMLError) -> YAMLScalar
    {
        let form = kind(of: text)
        let (kind, fits): (YAMLScalar.Kind, Bool) =
            switch tag {
            case nil: (isPlain ? form : .text, true)
            case .str, .nonSpecific: (.text, true)
            case .null: (.null, form == .null)
            case .bool: (.bool, form == .bool)
            case .int: (.integer, form == .integer)
            case .float: (.float, form == .float || form == .integer)
            case .seq, .map: (.text, false)
            case .unknown: throw YAMLError(.unknownTag, at: mark)
            }
        guard fits else { throw YAMLError(.misplacedTag, at: mark) }
        return YAMLScalar(text, isPlain: isPlain, kind: kind)
    }
}
