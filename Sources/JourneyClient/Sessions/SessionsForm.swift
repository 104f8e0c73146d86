internal import HTTPCore
internal import Orchestrate

/// One way to say something at AM's sessions endpoint.
///
/// Versions of AM differ in what they take: new ones want the version of the resource, others know none of the new versions
/// and answer 404, and of the two actions that tell whether a session lives each version has one.
struct SessionsForm: Hashable, Sendable {
    /// `_action`.
    let action: String
    /// `Accept-API-Version`, nil to send none.
    let version: String?

    /// Makes a request one of this form.
    ///
    /// A request without a version is taken only with `X-Requested-With`, so that goes along in any case.
    func apply(to request: inout Request) {
        request.parameters = QueryParameters()
        request.parameter(name: "_action", value: action)
        // A look at a session must not prolong it.
        if action != SessionsPurpose.logoutAction { request.parameter(name: "refresh", value: "false") }
        if let version {
            request.header(name: "Accept-API-Version", value: version)
        } else {
            request.removeHeader("Accept-API-Version")
        }
        request.header(name: "X-Requested-With", value: "ping-sdk")
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
    case standing

    static let logoutAction = "logout"

    /// The forms in the order in which they are tried.
    var forms: [SessionsForm] {
        switch self {
        case .logout:
            [
                SessionsForm(action: Self.logoutAction, version: "resource=3.1, protocol=1.0"),
                SessionsForm(action: Self.logoutAction, version: nil),
            ]
        case .standing:
            [
                SessionsForm(action: "getSessionInfo", version: "resource=4.0, protocol=1.0"),
                SessionsForm(action: "getSessionInfo", version: nil),
                SessionsForm(action: "validate", version: "resource=3.0, protocol=1.0"),
                SessionsForm(action: "validate", version: nil),
            ]
        }
    }
}
