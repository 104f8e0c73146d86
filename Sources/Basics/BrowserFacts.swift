/// What a request says of the browser behind it, besides its languages: made per request, never stored.
///
/// It is what came in, not what goes out: a client tells its provider no more of it than its configuration allows, and
/// only what can stand in a header field.
public struct BrowserFacts: Sendable, Equatable {
    /// The `Origin` of the page that calls, `https://app.example.com`; nil when the browser sent none.
    public var origin: String?
    /// The address that the browser calls from, without port and brackets: `192.0.2.1`, `2001:db8::1`; nil when unknown.
    public var address: String?
    /// The browser's `User-Agent`; nil when it sent none.
    public var userAgent: String?

    /// What is known of a browser; nothing unless said.
    public init(origin: String? = nil, address: String? = nil, userAgent: String? = nil) {
        self.origin = origin
        self.address = address
        self.userAgent = userAgent
    }
}
