/// The address of the machine at the other end of a connection.
///
/// Behind a proxy this is the proxy's address; modules above this one decide which peers may name a client's address.
public struct PeerAddress: Sendable, Hashable {
    /// The network family of an address.
    public enum Family: Sendable, Hashable {
        /// IPv4; an IPv4 address mapped into IPv6 (`::ffff:a.b.c.d`) counts as IPv4.
        case v4
        /// IPv6, 16 bytes.
        case v6
        /// The address could not be read.
        case unknown
    }

    /// The network family; decides how many of `bytes` count.
    public let family: Family
    /// The address in network byte order: 4 bytes, 16 bytes, or none when unknown.
    public let bytes: [UInt8]
    /// The address as text without port or brackets, `192.0.2.1` or `2001:db8::1`; `unknown` when it could not be read.
    public let text: String

    /// Makes an address from its bytes.
    ///
    /// - Parameter bytes: 4 or 16 bytes in network order; any other count is an unknown address. A mapped IPv4 address
    ///   becomes a plain one.
    public init(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        let plain = bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes[12...]) : bytes
        switch plain.count {
        case 4:
            family = .v4
            self.bytes = plain
            text = plain.map(String.init).joined(separator: ".")
        case 16:
            family = .v6
            self.bytes = plain
            text = Self.v6Text(plain)
        default:
            family = .unknown
            self.bytes = []
            text = "unknown"
        }
    }

    /// 127.0.0.1, for requests that tests make by hand.
    public static let loopback = PeerAddress(bytes: [127, 0, 0, 1])

    /// True if the peer is this machine: 127.0.0.0/8 or `::1`.
    public var isLoopback: Bool {
        switch family {
        case .v4: bytes[0] == 127
        case .v6: bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
        case .unknown: false
        }
    }

    /// The text of RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups becomes `::`.
    private static func v6Text(_ bytes: [UInt8]) -> String {
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        var best = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(best.count, 1) { best = start..<end }
            start = max(end, start) + 1
        }
        func hex(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        if best.isEmpty { return hex(groups[...]) }
        return hex(groups[..<best.lowerBound]) + "::" + hex(groups[best.upperBound...])
    }
}
