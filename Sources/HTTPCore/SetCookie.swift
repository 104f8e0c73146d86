public import Basics

/// One `Set-Cookie` field, received or to be sent (RFC 6265, with `SameSite` of its successor).
public struct SetCookie: Sendable, Equatable {
    /// When a browser sends the cookie on requests that another site caused.
    public enum SameSite: String, Sendable, Equatable, Codable {
        /// Never sent with a request that another site caused.
        case strict = "Strict"
        /// Sent when a link of another site leads here, and with no other request of such a site.
        case lax = "Lax"
        /// Sent with every request, whoever caused it.
        case none = "None"
    }

    /// The name of the cookie.
    public var name: String
    /// The value as written.
    public var value: String
    /// The `Domain` attribute in lower case without its leading dot; nil for a cookie of this host alone.
    public var domain: String?
    /// The `Path` attribute, when it starts with `/`.
    public var path: String?
    /// The `Expires` attribute.
    public var expires: Timestamp?
    /// The `Max-Age` attribute in seconds, zero or less for gone at once; wins over `expires`.
    public var maxAge: Int64?
    /// Over secure connections only.
    public var secure: Bool
    /// Whether it is hidden from scripts.
    public var httpOnly: Bool
    /// The `SameSite` attribute; nil when missing or unknown.
    public var sameSite: SameSite?

    /// A cookie to send.
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

    /// Whether the cookie is removed rather than set.
    public func isRemoval(at now: Timestamp) -> Bool {
        if let maxAge { return maxAge <= 0 }
        return expires.map { $0 <= now } ?? false
    }

    /// The instant at which the cookie ends; nil when it lasts as long as the session.
    public func end(from now: Timestamp) -> Timestamp? {
        if let maxAge { return maxAge <= 0 ? Timestamp(milliseconds: .min) : now + .seconds(min(maxAge, 1 << 40)) }
        return expires
    }
}

extension SetCookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The name; the value is a secret more often than not.
    public var description: String { "\(name)=<secret>" }
    /// The name; the value is a secret more often than not.
    public var debugDescription: String { description }
    /// Shows the name only.
    public var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
