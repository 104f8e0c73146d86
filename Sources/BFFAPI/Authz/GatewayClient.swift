internal import Basics
internal import HTTPServer

/// The client that brings a token to `/authz`, as the gateway names it: the last hop of `X-Forwarded-For`, which the
/// gateway wrote itself.
///
/// Behind a gateway that writes no hop, callers choose the last hop, and each invented one is counted apart.
struct GatewayClient {
    /// The name for counts by text: the gateway's address and the client as the gateway names it, an address without
    /// its port.
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

    /// The key of the rate limit: the client (the /64 of an IPv6 address) at its gateway.
    var key: UInt64 {
        CallerKey.gateway(client.map { gateway.text + " " + CallerAddress.network($0) } ?? text)
    }
}
