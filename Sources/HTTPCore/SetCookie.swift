public import Basics

/// One `Set-Cookie` field, received or to be sent (RFC 6265, with `SameSite` of its successor).
public struct SetCookie: Sendable, Equatable {
    /// When a browser sends the cookie on requests that another site caused.
    public enum SameSite: String, Sendable, Equatable, Codable {
        /// Never sent with a request that another site caused.
        case strict = "Strict"
        /// Sent when a link of another site leads here, but with no other request from such a site.
        case lax = "Lax"
        /// Sent with every request, including requests from other sites.
        case none = "None"
    }

    /// The name of the cookie.
    public var name: String
    /// The value as written.
    public var value: String
    /// The `Domain` attribute in lower case without its leading dot; nil for a cookie of this host only.
    public var domain: String?
    /// The `Path` attribute; nil unless it starts with `/`.
    public var path: String?
    /// The `Expires` attribute.
    public var expires: Timestamp?
    /// The `Max-Age` attribute in seconds; zero or less removes the cookie at once; wins over `expires`.
    public var maxAge: Int64?
    /// True if the cookie is sent over secure connections only.
    public var secure: Bool
    /// True if scripts cannot read the cookie.
    public var httpOnly: Bool
    /// The `SameSite` attribute; nil when missing or unknown.
    public var sameSite: SameSite?

    /// Makes a cookie to send.
    public init(
        name: String, value: String, domain: String? = nil, path: String? = nil, expires: Timestamp? = nil,
        maxAge: Int64? = nil, secure: Bool = false, httpOnly: Bool = false, sameSite: SameSite? = nil
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.path = path
        self.expires = expires
        self.maxAge = maxAge
        self.secure = secure
        self.httpOnly = httpOnly
        self.sameSite = sameSite
    }

    /// True if the field removes the cookie rather than setting it.
    public func isRemoval(at now: Timestamp) -> Bool {
        if let maxAge { return maxAge <= 0 }
        return expires.map { $0 <= now } ?? false
    }

    /// The instant at which the cookie expires; nil when it lasts as long as the browser session.
    public func end(from now: Timestamp) -> Timestamp? {
        if let maxAge { return maxAge <= 0 ? Timestamp(milliseconds: .min) : now + .seconds(min(maxAge, 1 << 40)) }
        return expires
    }
}

extension SetCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows the name; the value is usually secret.
    public var description: String { "\(name)=<secret>" }
    /// Shows the name; the value is usually secret.
    public var debugDescription: String { description }
    /// A mirror with the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
