/// The options of a flow.
public struct DaVinciStartOptions: Sendable {
    /// The id of the policy to run; unless set, the policy of the settings, else the application's default.
    public var policy: String?
    /// `prompt`: `none` for a silent answer, `login` to make the user sign in despite a session.
    public var prompt: String?
    /// `max_age`, in whole seconds: how long ago the user may have signed in.
    public var maxAge: Duration?
    /// `login_hint`: the user who is likely to sign in.
    public var loginHint: String?
    /// `ui_locales`, best first.
    public var uiLocales: [String] = []
    /// Further parameters, which the flow reads as `authorizationRequest`; never a parameter that the client sets
    /// itself.
    public var parameters: [String: String] = [:]
    /// True if the flow begins without the stored session, so that another user may sign in.
    public var ignoresSession = false

    /// The default options.
    public init() {}

    /// The longest `login_hint`, in bytes of UTF-8.
    public static let longestLoginHint = 256

    /// The parameters besides the client's own; nil when the login hint is too long.
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
