internal import HTTPCore

extension Journey {
    /// The names of the query parameters that another site may return (docs/protocol.md, 'Leaving and resuming').
    public static let returnNames: Set<String> = [
        "code", "state", "form_post_entry", "responsekey", "RelayState", "error", "errorCode", "errorMessage",
        "nonce", "scope", "suspendedId",
    ]

    /// True if a page may redirect the user to its address: https to AM's own host, or a host of `JourneyConfig.links`.
    public func allows(_ redirect: RedirectCallback) -> Bool { settings.links.allowed(redirect.redirectURL) != nil }

    /// The host to which a page redirects the user; nil if the address names none.
    public func host(of redirect: RedirectCallback) -> String? { WebURL(redirect.redirectURL)?.authority }

    /// True if a text names the realm of this client, in any spelling.
    public func isRealm(_ text: String) -> Bool { RealmPath(text) == settings.realm }
}
