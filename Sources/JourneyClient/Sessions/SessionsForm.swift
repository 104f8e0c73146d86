internal import HTTPCore
internal import Orchestrate

/// One form of a request to AM's sessions endpoint.
///
/// Versions of AM differ: new versions require the version of the resource, other versions answer 404 to all new
/// resource versions, and of the two actions that tell whether a session is alive each version has one.
struct SessionsForm: Hashable, Sendable {
    /// The action, sent as the parameter `_action`.
    let action: String
    /// The value of `Accept-API-Version`; nil to send none.
    let version: String?
    /// True if the action only reads the session and must not extend its idle timeout.
    var looksOnly = false

    /// Gives a request this form.
    ///
    /// AM accepts a request without a version only with `X-Requested-With`, so that header is always sent.
    func apply(to request: inout Request) {
        request.parameters = QueryParameters()
        request.parameter(name: "_action", value: action)
        if looksOnly { request.parameter(name: "refresh", value: "false") }
        if let version {
            request.setHeader(name: "Accept-API-Version", value: version)
        } else {
            request.removeHeader("Accept-API-Version")
        }
        request.setHeader(name: "X-Requested-With", value: "ping-sdk")
    }

    /// True if a request has this form.
    func isThat(of request: Request) -> Bool {
        request.parameters.single("_action") == action && request.header("Accept-API-Version") == version
    }
}

/// The purpose of a request to the sessions endpoint.
enum SessionsPurpose: Hashable, Sendable {
    /// Ends a session.
    case logout
    /// Asks whether a session is alive.
    case status
    /// Resets the idle timeout of a session.
    case keep

    /// True if a status says that AM does not accept the form; such an answer never says anything about the session.
    ///
    /// The resource or the action then does not exist in that version. For `.keep`, some versions of AM answer 403 or
    /// 400 to an action that they do not have or that only administrators may use; another form may still extend the
    /// session.
    func isUnknownForm(_ status: Int) -> Bool {
        status == 404 || status == 501 || self == .keep && (status == 400 || status == 403)
    }

    /// The forms, in the order in which they are tried.
    var forms: [SessionsForm] {
        switch self {
        case .logout:
            [
                SessionsForm(action: "logout", version: "resource=3.1, protocol=1.0"),
                SessionsForm(action: "logout", version: nil),
            ]
        case .status:
            [
                SessionsForm(action: "getSessionInfo", version: "resource=4.0, protocol=1.0", looksOnly: true),
                SessionsForm(action: "getSessionInfo", version: nil, looksOnly: true),
                SessionsForm(action: "validate", version: "resource=3.0, protocol=1.0", looksOnly: true),
                SessionsForm(action: "validate", version: nil, looksOnly: true),
            ]
        case .keep:
            // An AM without the `refresh` action extends a session when it is validated.
            [
                SessionsForm(action: "refresh", version: "resource=3.1, protocol=1.0"),
                SessionsForm(action: "refresh", version: nil),
                SessionsForm(action: "validate", version: "resource=3.0, protocol=1.0"),
                SessionsForm(action: "validate", version: "resource=1.1, protocol=1.0"),
                SessionsForm(action: "validate", version: nil),
            ]
        }
    }
}
