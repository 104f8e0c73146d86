internal import Basics
internal import HTTPServer

/// The client address of a request that passed through proxies.
enum CallerAddress {
    /// The most entries of `X-Forwarded-For` that are read, counted from the right.
    private static let hopLimit = 32

    /// The client address: the one from which the outermost trusted proxy received the request.
    ///
    /// It reads `X-Forwarded-For` from the right, because each hop appends the address that it received the request
    /// from: the first address that is not trusted is the client, and entries left of it are ignored. The fields of a
    /// peer that is not trusted are ignored.
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

    /// The network that one owner holds: of an IPv6 address the /64, `2001:db8::/64`, else the address itself.
    static func network(_ address: PeerAddress) -> String {
        guard address.family == .v6 else { return address.text }
        return PeerAddress(bytes: AddressRange.masked(address.bytes, 64)).text + "/64"
    }

    /// Reads one entry: an address, optionally with a port (`192.0.2.1:4711`, `[2001:db8::1]:4711`).
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
