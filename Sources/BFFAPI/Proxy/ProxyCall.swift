internal import BFF
internal import Basics
internal import Cryptography
internal import HTTPCore
internal import HTTPServer

/// One call to a route, with what was read of it once.
struct ProxyCall: Sendable {
    let incoming: IncomingCall
    let route: ProxyRoute
    /// What the call needs, by its method.
    let definition: RouteDefinition
    let path: RequestPath
    /// The account that the call is for, in the form for the use cases; empty for the default one.
    let account: String
    let context: CallContext

    /// A call of an admitted request.
    ///
    /// - Throws: For a header that cannot be used.
    init(
        _ incoming: IncomingCall, _ route: ProxyRoute, _ definition: RouteDefinition, _ path: RequestPath,
        _ cookies: SentCookies
    ) throws(Problem) {
        self.incoming = incoming
        self.route = route
        self.definition = definition
        self.path = path
        account = try Self.account(incoming.request)
        context = CallContext(
            cookie: cookies.session, startCookie: cookies.start,
            deadline: min(incoming.request.deadline, .now + route.settings.timeout),
            requestID: incoming.id, address: incoming.address.text, began: incoming.request.began)
    }

    var request: ServerRequest { incoming.request }

    /// What a transaction is authorised for: method, path, query and a digest of the body, so that nothing of a call can be
    /// another one than was shown.
    func target(_ url: WebURL, _ body: [UInt8]) -> String {
        let query = url.query.flatMap(UpstreamAddress.withoutTransactions) ?? ""
        return "\(request.method.rawValue) \(request.path)\n\(query)\n\(Base64URL.encode(Digest.hash(body)))"
    }

    private static func account(_ request: ServerRequest) throws(Problem) -> String {
        guard request.headers.count("x-bff-account") > 0 else { return "" }
        let value = request.headers.single("x-bff-account")
        guard value?.isEmpty != true else { return "" }
        // Percent-encoded, because a field has no characters but those of ASCII.
        guard let value, value.utf8.allSatisfy({ 0x21...0x7E ~= $0 }),
            let account = PercentEncoding.decode(value).flatMap({ AccountName.encoded($0) })
        else { throw Problem(.malformed, "X-BFF-Account does not name an account.") }
        return account
    }
}
