internal import HTTPCore

extension Journey {
    /// The names of parameters that a site may bring back (docs/protocol.md, 'Leaving and resuming').
    public static let returnNames: Set<String> = [
        "code", "state", "form_post_entry", "responsekey", "RelayState", "error", "errorCode", "errorMessage",
        "nonce", "scope", "suspendedId",
    ]

    /// Whether a page may send the user where it wants to: by https to AM's own host, or to one of `JourneyConfig.links`.
    public func allows(_ redirect: RedirectCallback) -> Bool { settings.links.allowed(redirect.redirectURL) != nil }

    /// The host that a page wants to send the user to; nil where it names none.
    public func host(of redirect: RedirectCallback) -> String? { WebURL(redirect.redirectURL)?.authority }

    /// Whether a text names the realm of this client, in any spelling.
    public func isRealm(_ text: String) -> Bool { RealmPath(text) == settings.realm }
}
