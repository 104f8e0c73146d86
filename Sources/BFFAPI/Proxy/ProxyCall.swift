internal import BFF
internal import Basics
internal import Cryptography
internal import HTTPCore
internal import HTTPServer

/// One call to a route, with the parts of it that are read once.
final class ProxyCall: Sendable {
    let incoming: IncomingCall
    let route: ProxyRoute
    /// The demands of the route on a call with this method.
    let definition: RouteDefinition
    let path: RequestPath
    /// The account of the call, in the form for the use cases; empty for the default one.
    let account: String
    let context: CallContext

    /// A call of an admitted request.
    ///
    /// - Throws: `.malformed` when `X-BFF-Account` does not name an account.
    init(
        _ incoming: IncomingCall, _ route: ProxyRoute, definition: RouteDefinition, path: RequestPath,
        cookies: SentCookies
    ) throws(Problem) {
        self.incoming = incoming
        self.route = route
        self.definition = definition
        self.path = path
        account = try Self.account(incoming.request)
        context = CallContext(
            cookie: cookies.session, startCookie: cookies.start, device: cookies.device,
            deadline: min(incoming.request.deadline, .now + route.settings.timeout),
            requestID: incoming.id, address: incoming.address.text, began: incoming.request.began)
    }

    var request: ServerRequest { incoming.request }

    /// The subject of a transaction's authorisation: method, path, query and a digest of the body, so that no part of
    /// the call can differ from the one that was shown to the user.
    func target(_ url: WebURL, _ body: [UInt8]) -> String {
        let query = url.query.flatMap(UpstreamAddress.withoutTransactions) ?? ""
        return "\(request.method.rawValue) \(request.path)\n\(query)\n\(Base64URL.encode(Digest.hash(body)))"
    }

    private static func account(_ request: ServerRequest) throws(Problem) -> String {
        guard request.headers.count("x-bff-account") > 0 else { return "" }
        let value = request.headers.single("x-bff-account")
        guard value?.isEmpty != true else { return "" }
        // Percent-encoded, because a header field can hold only ASCII characters.
        guard let value, value.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let account = PercentEncoding.decode(value).flatMap({ AccountName.encoded($0) })
        else { throw Problem(.malformed, "X-BFF-Account does not name an account.") }
        return account
    }
}
