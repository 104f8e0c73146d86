/// Loops over borrowed bytes, eight at a time where that pays.
///
/// Invariant: each function reads bytes `from..<end` of `base` and no other; its caller has made sure that they exist.
enum ByteScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101

    /// The place of the first control character that is no tab; `end` if there is none.
    ///
    /// Of the flagged bytes of a word the lowest is exact: a borrow only reaches bytes above one that is flagged itself.
    @inline(__always)
    static func firstControl(_ base: UnsafeRawPointer, _ from: Int, _ end: Int) -> Int {
        var at = from
        while end - at >= 8 {
            let word = UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
            let delete = word ^ (ones &* 0x7F)
            let low = (word &- ones &* 0x20) & ~word
            let hits = (low | (delete &- ones) & ~delete) & (ones &* 0x80)
            if hits == 0 {
                at += 8
                continue
            }
            at += hits.trailingZeroBitCount >> 3
            if base.load(fromByteOffset: at, as: UInt8.self) != tab { return at }
            at += 1
        }
        while at < end {
            let byte = base.load(fromByteOffset: at, as: UInt8.self)
            if byte < 0x20 && byte != tab || byte == 0x7F { return at }
            at += 1
        }
        return end
    }

    /// The place of the first byte that no token can have (RFC 9110 section 5.6.2); `end` if there is none.
    @inline(__always)
    static func firstNonToken(_ base: UnsafeRawPointer, _ from: Int, _ end: Int) -> Int {
        var at = from
        while at < end, isToken(base.load(fromByteOffset: at, as: UInt8.self)) { at += 1 }
        return at
    }

    /// True if the bytes equal `name` without regard to the case of ASCII letters; `name` is in lower case.
    ///
    /// `name` is a field name, a coding or an option: letters, digits and hyphens.
    @inline(__always)
    static func equals(_ base: UnsafeRawPointer, _ from: Int, _ end: Int, _ name: StaticString) -> Bool {
        guard end - from == name.utf8CodeUnitCount else { return false }
        let other = name.utf8Start
        for index in 0..<(end - from)
        where folded(base.load(fromByteOffset: from + index, as: UInt8.self)) != other[index] {
            return false
        }
        return true
    }

    /// True if the bytes at `from` are those of `text`.
    @inline(__always)
    static func begins(_ base: UnsafeRawPointer, _ from: Int, _ end: Int, _ text: StaticString) -> Bool {
        guard end - from >= text.utf8CodeUnitCount else { return false }
        let other = text.utf8Start
        for index in 0..<text.utf8CodeUnitCount
        where base.load(fromByteOffset: from + index, as: UInt8.self) != other[index] { return false }
        return true
    }

    /// The byte, in lower case if it is an ASCII letter.
    @inline(__always)
    static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// True if the byte is a `tchar`; the masks have one bit per ASCII character.
    @inline(__always)
    private static func isToken(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        return byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    /// True if an authority can have the byte: visible ASCII without `"#/<>?@\^`, the accent, `{|}` and the comma.
    @inline(__always)
    static func isAuthority(_ byte: UInt8) -> Bool {
        let low: UInt64 = 0x2FFF_6FF2_0000_0000
        let high: UInt64 = 0x47FF_FFFE_AFFF_FFFE
        return byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }

    /// True if the byte is a blank or a tab.
    @inline(__always)
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == tab }

    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
}
