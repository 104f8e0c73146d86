/// What AM is told of a browser besides its languages and the origin of its page.
///
/// Addresses and user agents are personal data, so nothing goes out unless it is asked for.
public struct BrowserForwarding: Sendable, Equatable {
    /// Where the browser's address goes.
    public enum ClientAddress: String, Sendable, CaseIterable {
        /// AM is not told the address.
        case withheld = "none"
        /// Into `X-Forwarded-For`, as the only address in it.
        case xForwardedFor
    }

    /// Whose `User-Agent` AM sees.
    public enum UserAgent: String, Sendable, CaseIterable {
        /// That of the transport.
        case own
        /// The browser's; the transport's where the browser sent none, or one that is no good.
        case browser
    }

    /// Where the browser's address goes, nowhere unless set.
    public var clientAddress: ClientAddress
    /// Whose `User-Agent` AM sees, the transport's unless set.
    public var userAgent: UserAgent

    /// Tells AM nothing unless said.
    public init(clientAddress: ClientAddress = .withheld, userAgent: UserAgent = .own) {
        self.clientAddress = clientAddress
        self.userAgent = userAgent
    }
}
