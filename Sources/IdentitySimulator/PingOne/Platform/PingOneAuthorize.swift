internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `as/authorize`: the first page of a flow, or a code if the session suffices.
///
/// Refuses by docs/protocol.md, 'DaVinci'.
/// Refuses by RFC 9126 section 4.
struct PingOneAuthorize: Sendable {
    let services: OAuthServices
    let flows: FlowEndpoint
    let pushed: PushedRequests
    let issuer: String

    func answer(_ call: SimulatedCall) -> ServerResponse {
        do throws(ClientCheck.RefusalError) {
            let parameters = try parameters(call)
            if let type = parameters.single("response_type"), PingOneSessionQuestion.types.contains(type) {
                return try PingOneSessionQuestion(services: services, issuer: issuer).answer(parameters, type, call)
            }
            let request = try PingOneRequest(parameters, services)
            switch request.application.start {
            case .flow: return start(request, call)
            case .nativeFlow: return nativeFlow
            case .signOnPage: throw PingOneRequest.signOnPage("NO_POLICY")
            case .unexpectedError:
                return .pingError(500, "UNEXPECTED_ERROR", "An unexpected error occurred. Please contact support.")
            }
        } catch { return error.response }
    }

    /// The parameters of the query, of a form, or of the query of a POST without body; with `request_uri` the pushed
    /// ones.
    private func parameters(_ call: SimulatedCall) throws(ClientCheck.RefusalError) -> QueryParameters {
        let isForm = call.method == .post && !call.body.isEmpty
        guard let sent = isForm ? call.form : call.query, isForm ? call.query.pairs.isEmpty : call.body.isEmpty else {
            throw ClientCheck.RefusalError(
                response: .pingError(400, "INVALID_REQUEST", "Parameters are in the query or in a form"))
        }
        guard let uri = sent.all("request_uri").first else { return sent }
        guard var found = pushed.take(uri, client: sent.single("client_id"), now: call.now) else {
            throw ClientCheck.RefusalError(
                response: .pingError(400, "INVALID_REQUEST", "Unknown request_uri", target: "request_uri"))
        }
        // The pushed parameters count (RFC 9126 section 4, RFC 9101 section 6.3). Ping's OIDC client sends its prompt
        // again.
        pushed.check(sent, beside: found, allowing: ["response_mode"])
        if found.all("response_mode").isEmpty, let mode = sent.single("response_mode") {
            found.append("response_mode", mode)
        }
        return found
    }

    private func start(_ request: PingOneRequest, _ call: SimulatedCall) -> ServerResponse {
        let session = PingOneCookies.session(call).flatMap { services.sessions.find($0, now: call.now) }
        if let session, suffices(session, request, call.now), request.prompts.isSubset(of: ["none"]) {
            // The background authorization of Ping's OIDC client lacks x-requested-with: only pages need that header.
            return FlowAnswer(services: services, journal: flows.journal, call: call).success(request, session)
        }
        guard !request.prompts.contains("none") else {
            return FlowAnswer.failed("login_required", environment: services.settings.pingOne.environment)
        }
        return flows.start(request, session, call)
    }

    /// True if a session is strong and recent enough for a policy; `max_age` of 0 seconds requires a new sign-in.
    private func suffices(_ session: SSORecord, _ request: PingOneRequest, _ now: Timestamp) -> Bool {
        if let age = request.maxAge, age == 0 || now - session.authTime > .seconds(age) { return false }
        return PolicyTable.policy(request.policy)?.isStepUp != true || session.journeys.contains(request.policy)
    }

    /// The response to an application without a DaVinci policy.
    private var nativeFlow: ServerResponse {
        let id = Identifier.tracking()
        let base = issuer.dropLast("/as".count)
        return .json(
            200,
            [
                "id": .string(id), "resumeUrl": .string("\(issuer)/resume?flowId=\(id)"),
                "status": "USERNAME_PASSWORD_REQUIRED", "_links": ["self": ["href": .string("\(base)/flows/\(id)")]],
            ])
    }
}

/// The cookies of a session at PingOne.
enum PingOneCookies {
    /// The names of both cookies; the second is for browsers that do not understand `SameSite=None`.
    static let names = ["ST", "ST-NO-SS"]

    /// The session that a request carries.
    static func session(_ call: SimulatedCall) -> String? {
        let cookies = CookieHeader(call.headers.values("cookie"))
        return names.lazy.compactMap { cookies.single($0) }.first.map { String($0) }
    }

    /// Sets both cookies for a session.
    static func set(_ token: String, _ call: SimulatedCall) -> [ResponseHeader] {
        let secure = call.base.hasPrefix("https:") ? "; Secure" : ""
        return [
            ResponseHeader("Set-Cookie", "ST=\(token); Path=/; HttpOnly; SameSite=None\(secure)"),
            ResponseHeader("Set-Cookie", "ST-NO-SS=\(token); Path=/; HttpOnly\(secure)"),
        ]
    }

    /// Deletes both cookies.
    static var gone: [ResponseHeader] {
        names.map { ResponseHeader("Set-Cookie", "\($0)=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0") }
    }
}
