internal import BFF
internal import Basics

extension BrowserAPI {
    /// `POST {instance}/start`.
    func startFlow(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        try rates.checkNewSession(call.request)
        return try await begin(try StartRequest(try await members(call), own: startMembers.start), call)
    }

    /// Begins a flow, with a new session if the browser has none.
    func begin(_ start: StartRequest, _ call: OperationCall) async throws(Problem) -> OperationAnswer {
        let reply = try await begun(start, call)
        return answer(reply.content, reply.cookie, to: call)
    }

    /// Like `begin`, without writing the node.
    func begun(_ start: StartRequest, _ call: OperationCall) async throws(Problem) -> FlowReply {
        let reply = try await asking(call) { () throws(BFFError) in
            try await backend.start(call.instance, start, call.pageContext())
        }
        // A changed cookie means a new session, and rarely a sign-in that needs no page.
        switch reply.cookie {
        case .begin, .set: rates.beganSession(call.request)
        case .keep, .clear: break
        }
        return reply
    }

    /// `POST {instance}/next`.
    func answerStep(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        var body = try await BodyReader.read(call.request, upTo: settings.answerLimit)
        // The body holds passwords. By now no other code holds these bytes, unless the caller disconnected while a step
        // was in flight.
        defer { cleanse(&body) }
        return try await answerStep(call, body)
    }

    private func answerStep(_ call: OperationCall, _ body: [UInt8]) async throws(Problem) -> OperationAnswer {
        let next = try NextRequest(try BodyReader.members(body, isOptional: false), body)
        let reply = try await answered(next, call)
        return answer(reply.content, reply.cookie, to: call)
    }

    /// Counts an answer to a step, and gives it to the flow.
    func answered(_ next: NextRequest, _ call: OperationCall) async throws(Problem) -> FlowReply {
        var next = next
        if next.mayPoll {
            next.countAnswer = { [rates, flow = next.flow] in rates.useFlow(flow, call.cookies) }
        } else {
            try rates.checkFlow(next.flow, call.cookies)
        }
        next.countName = rates.countName
        let request = next
        return try await asking(call, flow: request.flow) { () throws(BFFError) in
            try await backend.next(
                call.instance, request, call.pageContext(patience: backend.patience(of: call.instance)))
        }
    }

    /// `GET {instance}/flows/{flow}`.
    func getFlow(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        let node = try await asking(call, flow: call.flow) { () throws(BFFError) in
            try await backend.flow(call.instance, call.flow, call.context())
        }
        return answer(node, .keep, to: call)
    }

    /// `DELETE {instance}/flows/{flow}`.
    func cancelFlow(_ call: OperationCall) async throws(Problem) -> OperationAnswer {
        _ = try RequestQuery(call.request)
        try await asking(call) { () throws(BFFError) in
            try await backend.cancelFlow(call.instance, call.flow, call.context())
        }
        return .reply([], .keep)
    }

    /// The answer with a node; a page that may be polled also sets `Retry-After`.
    func answer(_ node: FlowNode, _ cookie: CookieChange, to call: OperationCall) -> OperationAnswer {
        .reply(NodeDocument.document(node, at: base(of: call)), cookie, retryAfter: node.nextPollIn)
    }

    /// The path that the operations of a call's instance begin with.
    func base(of call: OperationCall) -> String { "\(settings.basePath)/\(call.instance)" }

    /// Reads the members of a small body, which may be missing.
    func members(_ call: OperationCall) async throws(Problem) -> BodyMembers {
        _ = try RequestQuery(call.request)
        return try BodyReader.members(
            try await BodyReader.read(call.request, upTo: settings.bodyLimit), isOptional: true)
    }
}
