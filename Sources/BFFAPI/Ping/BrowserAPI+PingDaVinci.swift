internal import BFF
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON
internal import PingCompatibility

extension BrowserAPI {
    /// `davinci/{env}/as/authorize` for a script: begins a flow.
    func startFlow(_ asked: CodeRequest, _ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        let start: StartRequest
        do { start = try StartRequest(authorizeQuery: try query(ping)) } catch let error as BFFError {
            throw Problem(error)
        } catch {
            throw Problem(.malformed)
        }
        try rates.checkNewSession(call.request)
        return try await davinci(try await begun(start, call), asked, ping)
    }

    /// `POST davinci/{env}/next`: answers the step that the interaction names.
    func nextNode(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        let asked = try carried(ping)
        var body = try await BodyReader.read(call.request, upTo: settings.answerLimit)
        // The body holds passwords.
        defer { cleanse(&body) }
        let members = try BodyReader.members(body, isOptional: false)
        let text = try members.text("interactionId", upTo: StepHandle.longest)
        guard let handle = StepHandle(text ?? call.request.headers.single("interactionid") ?? "") else {
            throw Problem(ProblemType.flowExpired)
        }
        var answers = PageAnswers()
        answers.filledPage = try members.own(["id", "parameters"])
        let next = NextRequest(flow: handle.flow, step: handle.step, answers: answers, identity: .answers(body))
        let isPoll = answers.filledPage?["parameters"]?["eventType"]?.string?.isSameText(as: "polling") ?? false
        return try await davinci(try await answered(next, call), asked, ping, polled: isPoll ? handle.step : nil)
    }

    /// `POST davinci/{env}/continue/{handle}`: continues a flow whose user was at another identity provider; the handle
    /// of the return is the bearer token.
    func continueNode(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        let asked = try carried(ping)
        let scheme = "bearer "
        let bearer = call.request.headers.single("authorization") ?? ""
        guard let handle = StepHandle(ping.route.handle ?? ""), bearer.lowercased().starts(withText: scheme) else {
            throw Problem(ProblemType.noPendingReturn)
        }
        try rates.checkFlow(handle.flow, call.cookies)
        let cookie = try cookie.readReturn(call.request)
        let reply = try await asking(call) { () throws(BFFError) in
            try await backend.returns.resume(
                call.instance, flow: handle.flow, handle: String(bearer.dropFirst(scheme.utf8.count)),
                cookie: cookie, call.pageContext(patience: backend.patience(of: call.instance)))
        }
        return try await davinci(reply, asked, ping)
    }

    /// `POST davinci/user/credentials/challenge/{challenge}/status`: polls the page that waits for a challenge.
    func challengeStatus(_ ping: PingCall) async throws(Problem) -> OperationAnswer {
        let call = ping.operation
        try checkRates(call)
        guard let challenge = StepHandle.challenge(ping.route.handle ?? "") else {
            throw Problem(ProblemType.flowExpired)
        }
        var answers = PageAnswers()
        answers.filledPage = ["parameters": ["eventType": "polling"]]
        let step = challenge.handle.step
        let next = NextRequest(flow: challenge.handle.flow, step: step, answers: answers, identity: .poll)
        let reply = try await answered(next, call)
        var isComplete = true
        if case .page(let page) = reply.content.state {
            // After a refusal the program keeps the step that it has, and the page goes on waiting.
            isComplete = page.step != step && page.refusal == nil
        }
        return .answered(status: 200, DaVinciNodeDocument.challenge(isComplete: isComplete), reply.cookie)
    }

    /// The request for a code that a link of a flow carries.
    private func carried(_ ping: PingCall) throws(Problem) -> CodeRequest {
        let query = try query(ping)
        let asked: CodeRequest
        do { asked = try CodeRequest(query) } catch { throw Problem(error) }
        // rule: a link of a flow gives its code to a page of the application
        guard asked.redirectURI.map({ crossOrigin.knows($0.origin) }) ?? true else {
            throw Problem(.malformed, member: "redirect_uri", .notAllowed)
        }
        return asked
    }

    /// The answer with a node, as PingOne has it; `polled` is the step of a request that polled.
    private func davinci(
        _ reply: FlowReply, _ asked: CodeRequest, _ ping: PingCall, polled: Int? = nil
    ) async throws(Problem) -> OperationAnswer {
        let (node, call) = (reply.content, ping.operation)
        switch node.state {
        case .page(let page):
            // After a refusal the program keeps the step that it has.
            if let polled, page.step == polled || page.refusal != nil && node.nextPollIn != nil {
                return .answered(status: 200, DaVinciNodeDocument.waiting, reply.cookie, retryAfter: node.nextPollIn)
            }
            if let refusal = page.refusal {
                return .answered(status: 400, DaVinciNodeDocument.refusal(refusal), reply.cookie)
            }
            let links = DaVinciNodeDocument.Links(
                base: ping.base, flows: ping.base + "/davinci/" + PercentEncoding.encode(ping.route.environment ?? ""),
                query: asked.carried,
                instance: AccountName.text(call.instance))
            guard let flow = node.flow, let document = DaVinciNodeDocument.page(page, flow: flow, links) else {
                throw Problem(.internalError)
            }
            return .answered(status: 200, document, reply.cookie, retryAfter: node.nextPollIn)
        case .failure(let reason, let message, _):
            return .answered(
                status: 200, DaVinciNodeDocument.failure(reason: reason, message: message), reply.cookie)
        case .success:
            do throws(Problem) {
                let code = try await asking(call) { () throws(BFFError) in
                    try await backend.placeholders.code(
                        for: asked.placeholder, call.instance, after: reply.cookie, call.context())
                }
                return .answered(status: 200, OpenIDDocument.code(code, state: asked.state), reply.cookie)
            } catch {
                // Ping's program does not repeat the request after an error of the server.
                var problem = error
                // rule: a sign-in that is stored brings its cookie, with or without a code
                problem.headers += try cookie.headers(reply.cookie)
                throw problem
            }
        }
    }
}
