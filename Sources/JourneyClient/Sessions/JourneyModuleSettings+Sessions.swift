internal import Basics
internal import HTTPCore
internal import JSON
internal import Orchestrate

extension JourneyModuleSettings {
    /// A request about a session, in the form that AM accepted last, or in the newest.
    func sessionsRequest(_ purpose: SessionsPurpose, _ session: SSOSession, cookieName: String) -> Request {
        var request = Request(sessions)
        request.body([:])
        request.setHeader(name: "Accept", value: "application/json")
        request.carry(session, as: cookieName)
        memory.forms(purpose).first?.apply(to: &request)
        return request
    }

    /// Asks AM about a session, trying one form after another until AM accepts one.
    ///
    /// - Returns: The answer; 404 or 501 when AM accepts no form, which says nothing about the session.
    /// - Throws: The error of sending.
    func askSessions(
        _ purpose: SessionsPurpose, _ session: SSOSession, cookieName: String, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        let first = try await services.send(
            sessionsRequest(purpose, session, cookieName: cookieName), deadline: deadline, requestID: requestID)
        return try await settle(first, purpose, services, deadline: deadline, requestID: requestID)
    }

    /// Takes the answer to the first form, and tries the other forms while AM does not accept the form.
    func settle(
        _ first: Response, _ purpose: SessionsPurpose, _ services: WorkflowServices,
        deadline: ContinuousClock.Instant, requestID: String? = nil
    ) async throws -> Response {
        // Matched by the request, because another caller may have changed the order of the forms since it was sent.
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

    /// Confirms an answer by which AM does not know the session.
    ///
    /// If AM's cookie has another name than the request used, AM is asked again with the right name.
    ///
    /// - Returns: The answer that counts.
    /// - Throws: The error of asking; then the state of the session is unknown.
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

    /// Ends a session that need not be the caller's stored one.
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
    /// Reads the answer to a logout; 401 means that AM does not know the session any more.
    init(logout response: Response) {
        let body = try? response.json()
        let isDenied = SessionStatus.isDenied(response)
        self =
            switch response.status {
            case 200..<300 where body.map(SessionStatus.isExpired) ?? false: .alreadyGone
            case 200..<300 where body != nil || response.body.isEmpty: .ended
            // A page of a gateway, which did not end the session.
            case 200..<300: .failed(.malformed(status: response.status, excerpt: response.excerpt))
            case 401 where isDenied: .alreadyGone
            case 429, 503: .failed(.busy(status: response.status, retryAfter: nil))
            default: .failed(.unexpectedStatus(response.status, excerpt: response.excerpt))
            }
    }

    /// True if nothing is left to end.
    var isDone: Bool {
        switch self {
        case .nothing, .ended, .alreadyGone: true
        case .failed: false
        }
    }
}

extension Request {
    /// Sets a session on a request, as the header and the cookie of its name; nil removes such a cookie.
    ///
    /// The cookies of a flow may contain a session that AM set on the way; with two sessions on one request AM would
    /// choose.
    mutating func carry(_ session: SSOSession?, as name: String) {
        cookie(name: name, value: session?.value.reveal())
        guard let session else { return }
        header(name: name, value: session.value.reveal())
        cookies.merge(session.cookies)
    }
}
