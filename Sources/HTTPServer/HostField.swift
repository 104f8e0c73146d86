internal import Basics

/// The grammar of the `Host` field (RFC 9110 section 7.2): a host with an optional port, and nothing else.
enum HostField {
    /// True if the value is a name, an IPv4 address or a bracketed IPv6 address, with or without `:` and a port.
    ///
    /// The value has at most 262 bytes, the port 1 to 5 digits.
    static func isValid(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = value.first, value.count <= 262 else { return false }
        var at = 0
        if first == UInt8(ascii: "[") {
            at = 1
            while at < value.count, value[at].isHexDigit || ":.".utf8.contains(value[at]) { at += 1 }
            guard at > 2, at < value.count, value[at] == UInt8(ascii: "]") else { return false }
            at += 1
        } else {
            while at < value.count, value[at].isWordByte || value[at] == UInt8(ascii: ".") { at += 1 }
            guard at > 0 else { return false }
        }
        guard at < value.count else { return true }
        guard value[at] == UInt8(ascii: ":") else { return false }
        let digits = value[(at + 1)...]
        return (1...5).contains(digits.count) && digits.allSatisfy(\.isDigit)
    }
}
