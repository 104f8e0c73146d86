internal import BFF
internal import Basics
internal import HTTPCore
internal import JSON
internal import PingCompatibility

extension BrowserAPI {
    /// `POST am/json/{realm}/authenticate`: begins a journey, or continues the one that the handle in the body names.
    func authenticate(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        let query = try query(ping)
        var body = try await BodyReader.read(call.request, upTo: settings.answerLimit)
        // The body holds passwords.
        defer { cleanse(&body) }
        let members = try BodyReader.members(body, isOptional: true)
        guard let text = try members.text("authId", upTo: StepHandle.longest) else {
            let start: StartRequest
            do { start = try StartRequest(journeyQuery: query) } catch { throw Problem(error) }
            try rates.checkNewSession(call.request)
            let reply = try await begun(start, call)
            return try journey(reply, ping)
        }
        guard let handle = StepHandle(text) else { throw Problem(ProblemType.flowExpired) }
        if let code = query.single("code") { return try await comeBack(with: code, to: handle, ping) }
        var answers = PageAnswers()
        answers.filledPage = try members.own(["callbacks"])
        let next = NextRequest(flow: handle.flow, step: handle.step, answers: answers, identity: .answers(body))
        return try journey(try await answered(next, call), ping)
    }

    /// Continues a journey whose user was away; the handle of the return is the `code`.
    private func comeBack(
        with code: String, to handle: StepHandle, _ ping: PingCall
    ) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try rates.checkFlow(handle.flow, call.cookies)
        let cookie = try cookie.readReturn(call.request)
        let reply = try await asking(call) { () throws(BFFError) in
            try await backend.returns.resume(
                call.instance, flow: handle.flow, handle: code, cookie: cookie,
                call.pageContext(patience: backend.patience(of: call.instance)))
        }
        return try journey(reply, ping)
    }

    /// The answer with a node, as AM has it.
    private func journey(_ reply: FlowReply, _ ping: PingCall) throws(Problem) -> OperationAnswer {
        let node = reply.content
        switch node.state {
        case .page(let page):
            guard let flow = node.flow, let step = JourneyStepDocument.step(page, flow: flow, at: ping.base) else {
                throw Problem(.internalError)
            }
            return .answered(status: 200, step, reply.cookie, retryAfter: node.nextPollIn)
        case .failure(let reason, let message, let more):
            let status = Self.status(ofFailure: reason)
            let body = JourneyFailureDocument.failure(reason: reason, message: message, more: more, status: status)
            return .answered(status: status, body, reply.cookie)
        case .success(let user):
            let body = JourneyStepDocument.success(user: user.map { UserDocument.document($0) } ?? [])
            return .answered(status: 200, body, reply.cookie)
        }
    }

    /// The status of AM's for the end of a journey without a sign-in.
    private static func status(ofFailure reason: String) -> Int {
        switch FailureReason(rawValue: reason) {
        case .policyFailed, .consentRequired: 403
        case .badRequest: 400
        case .providerUnavailable, .outcomeUnknown: 503
        case .configuration, .linkNotAllowed, .pageTooLarge: 500
        default: 401
        }
    }

    /// `POST am/json/{realm}/sessions?_action=logout`: signs the instance out, with its provider session.
    func endProviderSession(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        // rule: a session is ended by its action alone
        guard try query(ping).single("_action")?.isSameText(as: "logout") ?? false else {
            throw Problem(.malformed, member: "_action", .required)
        }
        return .answered(status: 200, Array(#"{"result":"Successfully logged out"}"#.utf8), try await signOut(ping))
    }
}
