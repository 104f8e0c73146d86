internal import Basics
internal import HTTPServer

/// Who a request comes from when proxies stand between.
enum CallerAddress {
    /// So many hops of `X-Forwarded-For` are looked at.
    private static let hopLimit = 32

    /// The address that the last trusted proxy took the request from.
    ///
    /// Read from the right: each entry was written by the hop after it, so the first one that is not trusted is the
    /// client, and whatever it wrote before does not count. What a peer says that is not trusted counts for nothing.
    static func of(_ request: ServerRequest, trusting trusted: [AddressRange]) -> PeerAddress {
        func isTrusted(_ address: PeerAddress) -> Bool { trusted.contains { $0.contains(address) } }
        guard isTrusted(request.peer) else { return request.peer }
        var client = request.peer
        let entries = request.headers.values("x-forwarded-for").flatMap { $0.split(byte: ",") }
        for entry in entries.suffix(hopLimit).reversed() {
            guard let address = address(entry) else { return client }
            client = address
            if !isTrusted(address) { return client }
        }
        return client
    }

    /// What stands for all addresses of one owner: of IPv6 the /64, `2001:db8::/64`, else the address.
    static func network(_ address: PeerAddress) -> String {
        guard address.family == .v6 else { return address.text }
        return PeerAddress(bytes: AddressRange.masked(address.bytes, 64)).text + "/64"
    }

    /// An entry: an address, perhaps with a port (`192.0.2.1:4711`, `[2001:db8::1]:4711`).
    static func address(_ entry: Substring) -> PeerAddress? {
        func isBlank(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var text = Substring(entry.utf8.drop(while: isBlank))
        while isBlank(text.utf8.last) { text = Substring(text.utf8.dropLast()) }
        if let address = PeerAddress(text: text) { return address }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let port = text[text.utf8.index(after: colon)...].utf8
        guard 1...5 ~= port.count, port.allSatisfy(\.isDigit) else { return nil }
        let host = text[..<colon]
        guard host.ends(withText: "]") || !host.utf8.contains(UInt8(ascii: ":")) else { return nil }
        return PeerAddress(text: host)
    }
}
