internal import Basics
internal import HTTPCore
internal import JSON
internal import Orchestrate

extension JourneyModuleSettings {
    /// A request about a session in the form that AM took last, or in the newest.
    func sessionsRequest(_ purpose: SessionsPurpose, _ session: SSOSession, cookieName: String) -> Request {
        var request = Request(sessions)
        request.body([:])
        request.setHeader(name: "Accept", value: "application/json")
        request.carry(session, as: cookieName)
        memory.forms(purpose).first?.apply(to: &request)
        return request
    }

    /// Asks AM about a session, in every form until it knows one.
    ///
    /// - Returns: The answer; 404 or 501 when AM knows no form, which says nothing about the session.
    /// - Throws: What sending throws.
    func askSessions(
        _ purpose: SessionsPurpose, _ session: SSOSession, cookieName: String, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        let first = try await services.send(
            sessionsRequest(purpose, session, cookieName: cookieName), deadline: deadline, requestID: requestID)
        return try await settle(first, purpose, services, deadline: deadline, requestID: requestID)
    }

    /// Goes on from the answer to the first form: tries the others while AM does not know the form.
    func settle(
        _ first: Response, _ purpose: SessionsPurpose, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        // Not the first of those remembered: another caller may have learnt which form AM takes since this one was sent.
        let all = memory.forms(purpose)
        guard var form = all.first(where: { $0.isThat(of: first.request) }) else { return first }
        var forms = all.filter { $0 != form }[...]
        var response = first
        while purpose.isUnknownForm(response.status) {
            guard let next = forms.popFirst() else { return response }
            form = next
            var request = first.request
            form.apply(to: &request)
            response = try await services.send(request, deadline: deadline, requestID: requestID)
        }
        if response.isSuccess { memory.remember(form, purpose) }
        return response
    }

    /// Makes sure of an answer that AM does not know the session: where AM's cookie has another name than the request said, asks
    /// again by that name.
    ///
    /// - Returns: The answer that counts.
    /// - Throws: What asking throws; then nothing is known of the session.
    func confirmed(
        _ response: Response, _ purpose: SessionsPurpose, cookieName used: String, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        guard SessionStatus.isDenied(response), let value = response.request.header(used),
            let name = try await cookie.otherName(than: used, services, deadline: deadline)
        else { return response }
        var session = SSOSession(value: Secret(value), created: services.time.now())
        session.cookies = response.request.cookies
        return try await askSessions(
            purpose, session, cookieName: name, services, deadline: deadline, requestID: requestID)
    }

    /// Ends a session, whoever holds it.
    func endSession(
        _ session: SSOSession, cookieName: String, _ services: WorkflowServices, deadline: ContinuousClock.Instant,
        requestID: String? = nil
    ) async throws -> SignOffReport.Remote {
        let answer = try await askSessions(
            .logout, session, cookieName: cookieName, services, deadline: deadline, requestID: requestID)
        return SignOffReport.Remote(
            logout: try await confirmed(
                answer, .logout, cookieName: cookieName, services, deadline: deadline, requestID: requestID))
    }
}

extension SignOffReport.Remote {
    /// What the answer to a logout says; 401 means that AM has forgotten the session already.
    init(logout response: Response) {
        let body = try? response.json()
        let isDenied = SessionStatus.isDenied(response)
        self =
            switch response.status {
            case 200..<300 where body.map(SessionStatus.isExpired) ?? false: .alreadyGone
            case 200..<300 where body != nil || response.body.isEmpty: .ended
            // A page of something in between, which ended nothing.
            case 200..<300: .failed(.malformed(status: response.status, excerpt: response.excerpt))
            case 401 where isDenied: .alreadyGone
            case 429, 503: .failed(.busy(status: response.status, retryAfter: nil))
            default: .failed(.unexpectedStatus(response.status, excerpt: response.excerpt))
            }
    }

    /// Whether nothing is left to be done.
    var isDone: Bool {
        switch self {
        case .nothing, .ended, .alreadyGone: true
        case .failed: false
        }
    }
}

extension Request {
    /// Puts a session on a request, as the header and the cookie of its name; without one keeps every such cookie off it.
    ///
    /// The jar of a flow may hold what AM set on the way; two sessions on one request would leave the choice to AM.
    mutating func carry(_ session: SSOSession?, as name: String) {
        cookie(name: name, value: session?.value.reveal())
        guard let session else { return }
        header(name: name, value: session.value.reveal())
        cookies.merge(session.cookies)
    }
}
