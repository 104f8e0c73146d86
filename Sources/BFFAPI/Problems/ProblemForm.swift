internal import BFF
internal import JSON
internal import PingCompatibility

/// The form in which a problem is written.
enum ProblemForm: Sendable, Equatable {
    /// A problem document (RFC 9457).
    case document
    /// An error of AM, for programs that run journeys.
    case journey
    /// An error of OAuth 2.0; the code is that of the problem, unless it is given.
    case oauth(String? = nil)
    /// An error of PingOne, for programs that run DaVinci flows or ask for a code.
    case pingOne(String? = nil)
}

extension Problem {
    /// The body of the response in the problem's form.
    func body(_ requestID: String) -> [UInt8] {
        switch form {
        case .document: document(requestID)
        case .journey:
            JourneyFailureDocument.document(
                status, message: type == .flowExpired ? "Session has timed out" : detail.description,
                facts(requestID))
        case .oauth(let code): OpenIDDocument.error(code ?? errorCode, detail.description)
        case .pingOne(let code):
            OpenIDDocument.details(
                code ?? (isOver ? "requestTimedOut" : errorCode), detail.description,
                fields.map { (target: $0.id, message: $0.message) })
        }
    }

    /// True if the step cannot be answered any more: Ping's program for DaVinci then has to begin anew.
    private var isOver: Bool { [.flowExpired, .staleStep, .noPendingReturn].contains(type) }

    /// The members of `detail` in an error of AM: what the problem document would say.
    private func facts(_ requestID: String) -> JSONObject {
        var facts = (try? JSONValue(parsing: document(requestID)))?.object ?? [:]
        // A step to be shown is one of the REST API.
        for name in ["title", "status", "detail", "node"] { facts[name] = nil }
        if type == .flowExpired { facts["errorCode"] = "110" }
        return facts
    }

    /// The error code of OAuth 2.0 and OpenID Connect that is nearest to the problem.
    private var errorCode: String {
        switch type {
        case .signedOut, .flowExpired: "login_required"
        case .interactionNeeded, .stepUpRequired: "interaction_required"
        case .csrf, .misdirectedRequest, .notAllowed: "access_denied"
        case _ where status >= 500 || status == 429 || status == 409: "temporarily_unavailable"
        default: "invalid_request"
        }
    }
}
