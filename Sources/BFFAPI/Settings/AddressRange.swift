internal import Basics
internal import HTTPCore
package import HTTPServer

/// A block of network addresses in CIDR form (RFC 4632, RFC 4291 section 2.3): `10.0.0.0/8`, `2001:db8::/32`,
/// `192.0.2.1`.
package struct AddressRange: Sendable, Hashable {
    private let prefix: [UInt8]
    private let length: Int

    /// Reads a block; a single address is a block of one.
    ///
    /// nil for any other text, and for an address with bits beyond the prefix, which is more likely a mistake than
    /// intended.
    ///
    /// - Parameter text: The address, optionally with `/` and the length of the prefix.
    package init?(_ text: String) {
        let parts = text.split(byte: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = PeerAddress(text: parts[0]) else { return nil }
        let bits = address.bytes.count * 8
        var length = bits
        if parts.count == 2 {
            let digits = parts[1].utf8
            guard 1...3 ~= digits.count, digits.allSatisfy(\.isDigit), let number = Int(parts[1]),
                number <= bits, digits.count == 1 || digits.first != UInt8(ascii: "0")
            else { return nil }
            length = number
        }
        guard Self.masked(address.bytes, length) == address.bytes else { return nil }
        prefix = address.bytes
        self.length = length
    }

    /// True if the block holds the address.
    ///
    /// - Parameter peer: The address; an unknown one is in no block.
    /// - Returns: False also when the families differ.
    package func contains(_ peer: PeerAddress) -> Bool {
        let bytes = peer.bytes
        let (whole, rest) = (length / 8, length % 8)
        guard bytes.count == prefix.count, bytes[..<whole].elementsEqual(prefix[..<whole]) else { return false }
        return rest == 0 || bytes[whole] & ~(0xFF >> UInt8(rest)) == prefix[whole]
    }

    /// True if the block is larger than a proxy's network: larger than a /8 of IPv4, or than a /16 of IPv6 outside of
    /// fc00::/7, which is local (RFC 4193).
    package var isTooWide: Bool {
        if prefix.count == 4 { return length < 8 }
        let isLocal = length >= 7 && prefix[0] & 0xFE == 0xFC
        return length < 16 && !isLocal
    }

    /// True if the block holds only addresses of this machine (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3).
    package var isLoopback: Bool {
        prefix.count == 4 ? length >= 8 && prefix[0] == 127 : length == 128 && PeerAddress(bytes: prefix).isLoopback
    }

    /// The address with all bits beyond the prefix cleared.
    static func masked(_ bytes: [UInt8], _ length: Int) -> [UInt8] {
        bytes.enumerated().map { index, byte in
            let kept = min(max(length - index * 8, 0), 8)
            return kept == 8 ? byte : byte & ~(0xFF >> UInt8(kept))
        }
    }
}

extension PeerAddress {
    /// Reads an address as it stands in `X-Forwarded-For`, without a port; IPv6 with or without brackets.
    ///
    /// nil for names and for unusual forms.
    init?<Text: StringProtocol>(text: Text) where Text.SubSequence == Substring {
        let isBare6 = text.utf8.contains(UInt8(ascii: ":")) && !text.starts(withText: "[")
        guard let host = HostAddress(isBare6 ? "[\(text)]" : String(text)) else { return nil }
        self.init(bytes: host.bytes)
    }
}
