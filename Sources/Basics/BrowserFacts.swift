/// The facts of a request about its browser, besides its languages: made per request, never stored.
///
/// These are facts received, not facts sent: a client tells its provider only the ones that its configuration allows,
/// and only values that a header field can hold.
public struct BrowserFacts: Sendable, Equatable {
    /// The `Origin` of the page that calls, `https://app.example.com`; nil when the browser sent none.
    public var origin: String?
    /// The address that the browser calls from, without port and brackets: `192.0.2.1`, `2001:db8::1`; nil when unknown.
    public var address: String?
    /// The browser's `User-Agent`; nil when it sent none.
    public var userAgent: String?

    /// Makes the facts about a browser; every fact is unknown unless given.
    public init(origin: String? = nil, address: String? = nil, userAgent: String? = nil) {
        self.origin = origin
        self.address = address
        self.userAgent = userAgent
    }
}
