import Basics

/// Percent-encoding of URL components (RFC 3986 section 2.1).
package enum PercentEncoding {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Encodes every byte outside `unreserved`.
    package static func encode(_ text: String) -> String { encode(text[...]) }

    /// Encodes every byte outside `unreserved`.
    package static func encode(_ text: Substring) -> String {
        var out = [UInt8]()
        out.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                out.append(byte)
            } else {
                out.append(UInt8(ascii: "%"))
                out.append(digits[Int(byte >> 4)])
                out.append(digits[Int(byte & 0xF)])
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// Decodes `%XX` once; reads `+` as a space only if asked to (form encoding).
    ///
    /// - Parameters:
    ///   - text: The encoded text.
    ///   - plusIsSpace: True to read `+` as a space.
    /// - Returns: The text; nil for a bad escape, for bytes that are not UTF-8 and for NUL.
    package static func decode(_ text: String, plusIsSpace: Bool = false) -> String? {
        // Most texts have nothing to decode.
        guard text.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "%") || $0 == UInt8(ascii: "+") }) else {
            return text
        }
        return decode(text[...], plusIsSpace: plusIsSpace)
    }

    /// Like `decode(_:plusIsSpace:)`, for a part of a text.
    package static func decode(_ text: Substring, plusIsSpace: Bool = false) -> String? {
        var out = [UInt8]()
        out.reserveCapacity(text.utf8.count)
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            if byte == UInt8(ascii: "%") {
                guard let high = bytes.next().flatMap(value), let low = bytes.next().flatMap(value) else { return nil }
                out.append(high << 4 | low)
            } else {
                out.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        guard !out.contains(0) else { return nil }
        return String(validating: out, as: UTF8.self)
    }

    /// True if the byte never needs an escape (RFC 3986 section 2.3).
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isWordByte || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "~")
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
