import Basics

/// A host that is an IPv4 address or a bracketed IPv6 address, in the one form that all parsers agree on.
package struct HostAddress: Sendable, Equatable {
    /// The four or sixteen bytes of the address, in network order.
    package let bytes: [UInt8]

    /// Reads an address; nil for names and for unusual forms: missing parts, leading zeros, zone identifiers.
    package init?(_ host: Substring) {
        if host.utf8.first == UInt8(ascii: "[") {
            guard host.ends(withText: "]"),
                let bytes = Self.version6(Substring(host.utf8.dropFirst().dropLast()))
            else { return nil }
            self.bytes = bytes
        } else {
            guard let bytes = Self.version4(host) else { return nil }
            self.bytes = bytes
        }
    }

    /// Reads an address from a whole text, see `init(_:)` for a part of a text.
    package init?(_ host: String) { self.init(host[...]) }

    /// True for 127.0.0.0/8, for ::1, and for 127.0.0.0/8 written as an IPv6 address.
    package var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 }
        if bytes == Array(repeating: 0, count: 15) + [1] { return true }
        return bytes.prefix(12) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] && bytes[12] == 127
    }

    /// Reads four decimal numbers without leading zeros, which some parsers take as octal.
    private static func version4(_ text: Substring) -> [UInt8]? {
        var (bytes, number, digits) = ([UInt8](), 0, 0)
        for byte in text.utf8 {
            if byte == UInt8(ascii: "."), digits > 0, bytes.count < 3 {
                bytes.append(UInt8(number))
                (number, digits) = (0, 0)
            } else {
                // A number that begins with zero may have no further digit.
                guard byte.isDigit, digits == 0 || number > 0 else { return nil }
                number = number * 10 + Int(byte - UInt8(ascii: "0"))
                digits += 1
                guard number <= 255 else { return nil }
            }
        }
        return bytes.count == 3 && digits > 0 ? bytes + [UInt8(number)] : nil
    }

    /// Reads RFC 4291 section 2.2: eight groups, one run of zeros as `::`, optionally an IPv4 address at the end.
    private static func version6(_ text: Substring) -> [UInt8]? {
        guard text.utf8.count <= 45 else { return nil }
        guard let gap = text.firstRange(ofText: "::") else {
            guard let bytes = groups(text, last: true), bytes.count == 16 else { return nil }
            return bytes
        }
        let (head, tail) = (text[..<gap.lowerBound], text[gap.upperBound...])
        guard let left = head.isEmpty ? [] : groups(head, last: false),
            let right = tail.isEmpty ? [] : groups(tail, last: true), left.count + right.count <= 14
        else { return nil }
        return left + Array(repeating: 0, count: 16 - left.count - right.count) + right
    }

    private static func groups(_ text: Substring, last: Bool) -> [UInt8]? {
        var bytes: [UInt8] = []
        let parts = text.split(byte: ":", omittingEmptySubsequences: false)
        for (position, part) in parts.enumerated() {
            if last, position == parts.count - 1, part.utf8.contains(UInt8(ascii: ".")) {
                guard let address = version4(part) else { return nil }
                bytes += address
            } else {
                guard (1...4).contains(part.utf8.count), part.utf8.allSatisfy(\.isHexDigit),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }
}
