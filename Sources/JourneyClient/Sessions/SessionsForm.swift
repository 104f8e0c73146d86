internal import HTTPCore
internal import Orchestrate

/// One way to say something at AM's sessions endpoint.
///
/// Versions of AM differ in what they take: new ones want the version of the resource, others know none of the new versions
/// and answer 404, and of the two actions that tell whether a session lives each version has one.
struct SessionsForm: Hashable, Sendable {
    /// What is asked for, the parameter `_action`.
    let action: String
    /// `Accept-API-Version`, nil to send none.
    let version: String?
    /// Whether the action only looks at a session, and must not prolong it.
    var looksOnly = false

    /// Makes a request one of this form.
    ///
    /// A request without a version is taken only with `X-Requested-With`, so that goes along in any case.
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

    /// Whether a request has this form.
    func isThat(of request: Request) -> Bool {
        request.parameters.single("_action") == action && request.header("Accept-API-Version") == version
    }
}

/// What the sessions endpoint is asked for.
enum SessionsPurpose: Hashable, Sendable {
    /// To end a session.
    case logout
    /// To say whether a session lives.
    case status
    /// To begin the idle time of a session anew.
    case keep

    /// Whether an answer says that AM does not know the form, which is never about the session.
    ///
    /// That resource or that action does not exist in the version. To an action that it does not have, or has for
    /// administrators, some AM answers 403 or 400; then another form may still prolong the session.
    func isUnknownForm(_ status: Int) -> Bool {
        status == 404 || status == 501 || self == .keep && (status == 400 || status == 403)
    }

    /// The forms in the order in which they are tried.
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
            // An AM that does not know the action prolongs a session when it is validated.
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
