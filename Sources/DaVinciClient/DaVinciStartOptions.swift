/// How a flow is run.
public struct DaVinciStartOptions: Sendable {
    /// The id of the one policy that is run; that of the settings, else the application's default, unless set.
    public var policy: String?
    /// `prompt`: `none` for a silent answer, `login` to sign in whatever session there is.
    public var prompt: String?
    /// `max_age`, in whole seconds: how long ago the user may have signed in.
    public var maxAge: Duration?
    /// `login_hint`: who is likely to sign in.
    public var loginHint: String?
    /// `ui_locales`, best first.
    public var uiLocales: [String] = []
    /// Further parameters, which the flow reads as `authorizationRequest`; never one that the client itself sets.
    public var parameters: [String: String] = [:]
    /// Begins as of somebody who has no session: where another user may sign in.
    public var ignoresSession = false

    /// Options of an ordinary run.
    public init() {}

    /// The longest `login_hint`, in bytes of UTF-8.
    public static let longestLoginHint = 256

    /// What goes along beside the client's own parameters; nil for what cannot be sent.
    var extra: [String: String]? {
        var extra = parameters
        if let prompt { extra["prompt"] = prompt }
        if let maxAge { extra["max_age"] = String(maxAge.components.seconds) }
        if let loginHint {
            // rule: a login hint has a bound
            guard loginHint.utf8.count <= Self.longestLoginHint else { return nil }
            extra["login_hint"] = loginHint
        }
        return extra
    }
}
