internal import Basics
internal import HTTPServer

/// Who brings a token to `/authz`, as far as the gateway says: the last hop is the one that it wrote itself.
///
/// Behind a gateway that writes none, callers choose the hop, and each that they make up is counted apart.
struct Questioner {
    /// For those who count by words: the gateway, and what it calls the client, an address without its port.
    let text: String
    private let gateway: PeerAddress
    private let client: PeerAddress?

    init(_ request: ServerRequest) {
        gateway = request.peer
        let last = request.headers.count("x-forwarded-for") > 0 ? request.headers.values("x-forwarded-for").last : nil
        let hop = last?.split(byte: ",").last.flatMap { $0.utf8.count <= 64 ? $0 : nil }
        client = hop.flatMap { CallerAddress.address($0) }
        let name = client?.text ?? hop.map { String($0) }
        text = name.map { [gateway] in gateway.text + " " + $0 } ?? gateway.text
    }

    /// Whom the rate counts: the client, of IPv6 the /64, at its gateway.
    var key: UInt64 {
        CallerKey.gateway(client.map { gateway.text + " " + CallerAddress.network($0) } ?? text)
    }
}
