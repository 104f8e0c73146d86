/// The facts about the browser that AM receives besides the languages and the origin of the page.
///
/// IP addresses and user agents are personal data, so neither is forwarded unless a setting asks for it.
public struct BrowserForwarding: Sendable, Equatable {
    /// How the browser's IP address is forwarded.
    public enum ClientAddress: String, Sendable, CaseIterable {
        /// The IP address is not forwarded.
        case withheld = "none"
        /// The IP address is sent as the only address in `X-Forwarded-For`.
        case xForwardedFor
    }

    /// Which `User-Agent` is sent to AM.
    public enum UserAgent: String, Sendable, CaseIterable {
        /// The `User-Agent` of the HTTP transport.
        case own
        /// The browser's `User-Agent`; the transport's if the browser sent none or an unusable one.
        case browser
    }

    /// How the browser's IP address is forwarded; withheld unless set.
    public var clientAddress: ClientAddress
    /// Which `User-Agent` is sent to AM; the transport's unless set.
    public var userAgent: UserAgent

    /// Makes a setting that forwards nothing unless an argument says so.
    public init(clientAddress: ClientAddress = .withheld, userAgent: UserAgent = .own) {
        self.clientAddress = clientAddress
        self.userAgent = userAgent
    }
}
