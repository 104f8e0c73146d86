internal import Basics

/// Times as the scripts calculate with them: doubles, which are exact up to 53 bits.
enum StoredTime {
    /// The time of a field that lives as long as its session.
    static let never: Int64 = (1 << 53) - 1

    /// The decimal digits of a time, moved into the range that doubles represent exactly.
    static func text(_ milliseconds: Int64) -> [UInt8] {
        Array(String(min(max(milliseconds, -never), never)).utf8)
    }

    /// The number of some decimal digits; nil for anything else.
    static func number<Number: FixedWidthInteger>(_ digits: some Sequence<UInt8>, as: Number.Type) -> Number? {
        Number(String(decoding: Array(digits), as: UTF8.self))
    }
}
