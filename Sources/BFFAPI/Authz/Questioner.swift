internal import Basics
internal import HTTPServer

/// Who brings a token to `/authz`, as far as the gateway says: the last hop is the one that it wrote itself.
///
/// Whoever makes a name up for itself gains no more than one more look at the issuer's keys per minute.
struct Questioner {
    private let gateway: PeerAddress
    /// What the gateway calls the client, mostly an address.
    private let hop: Substring?

    init(_ request: ServerRequest) {
        gateway = request.peer
        let last = request.headers.count("x-forwarded-for") > 0 ? request.headers.values("x-forwarded-for").last : nil
        hop = last?.split(byte: ",").last.flatMap { $0.utf8.count <= 64 ? $0 : nil }
    }

    /// For those who count by words.
    var text: String { hop.map { gateway.text + " " + $0 } ?? gateway.text }

    /// Whom the rate counts: the hop, of IPv6 the /64, at its gateway.
    var key: UInt64 {
        let address = hop.flatMap { PeerAddress(text: Substring($0.utf8.drop { $0 == UInt8(ascii: " ") })) }
        return CallerKey.gateway(address.map { gateway.text + " " + CallerAddress.network($0) } ?? text)
    }
}
