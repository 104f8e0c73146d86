internal import Basics
internal import HTTPCore
internal import JSON
public import Orchestrate

extension JourneyModules {
    /// Turns AM's answers into nodes, and the answers to a page into requests.
    public static let transform = Module.of(name: "journey transform") { setup in
        let settings = try JourneyModuleSettings.of(setup)
        let services = setup.services
        let pages = KnownPages<PageForm>()
        let readStep: StepReader = { step, flow throws(JourneyPage.Malformed) in
            try JourneyPage(step, catalogue: settings.catalogue, known: pages, sentTo: flow).node
        }

        setup.transform { context, response in
            let name = context.flow.name(context.caller)
            let cookieName = try settings.cookie.current
            let node = try node(response, readStep, name, services.time.now(), cookieName: cookieName)
            // With `noSession` the journey ends without a session, so a session cookie in the answer is ignored.
            guard case .success(var success) = node, !success.isSignedIn, let session = success.session as? SSOSession,
                context.flow[.options]?.noSession != true
            else { return node }
            success.session = try await settings.completed(
                session, by: response, cookieName: cookieName, services,
                deadline: context.caller.deadline)
            return .success(success)
        }
        setup.restore { step in
            do { return try readStep(step, nil) } catch {
                throw EngineError.configuration("the stored page is not a step of a journey")
            }
        }
        setup.answer { node, answers in
            let page = JourneyPage(node)
            // rule: other sites bring back what they may alone
            try checkReturn(answers.returned, to: page)
            var request = Request(settings.authenticate)
            request.body(.object(try page.body(answering: answers)))
            request.setHeader(name: "Accept-API-Version", value: JourneyModuleSettings.authenticateVersion)
            for pair in answers.returned.pairs { request.parameter(name: pair.name, value: pair.value) }
            return request
        }
    }

    /// Reads a step into its node; `flow` names the flow that AM sent the step to, nil for a step from a store.
    private typealias StepReader =
        @Sendable (_ step: JSONValue, _ flow: String?) throws(JourneyPage.Malformed) -> ContinueNode

    /// The node of an answer; the status decides first, then `authId` (docs/protocol.md, 'Answers to a step').
    ///
    /// - Throws: `EngineError`, or the `JourneyLimitError` for the limit that the answer exceeds.
    private static func node(
        _ response: Response, _ readStep: StepReader, _ flow: String?, _ now: Timestamp, cookieName: String
    ) throws -> Node {
        switch response.status {
        case 200: return try stepOrSuccess(response, readStep, flow, now, cookieName: cookieName)
        case 300..<400:
            throw EngineError.unexpectedRedirect(
                status: response.status, location: response.header("Location").map { Secret($0) })
        case 400..<500: return .error(try refusal(response, cookieName: cookieName))
        default: throw EngineError.unexpectedStatus(response.status, excerpt: response.excerpt)
        }
    }

    /// The status of a failure that arrived with status 200: a gateway that rewrites statuses leaves AM's own in
    /// `code`.
    ///
    /// Nil for a body with a session, and for a `code` that is neither an error status nor a timeout.
    private static func statedFailure(_ body: JSONObject) -> Int? {
        guard (body["tokenId"]?.string ?? "").isEmpty, let code = body["code"] else { return nil }
        if isTimeout(code) { return 400 }
        let status = code.int ?? code.string.flatMap { Int64($0) }
        return status.flatMap { 400..<600 ~= $0 ? Int($0) : nil }
    }

    /// True if a refusal says that the step took too long.
    private static func isTimeout(_ code: JSONValue?) -> Bool {
        code?.int == 1999 || ["1999", "requestTimedOut"].contains(code?.string)
    }

    private static func stepOrSuccess(
        _ response: Response, _ readStep: StepReader, _ flow: String?, _ now: Timestamp, cookieName: String
    ) throws -> Node {
        let body = try JourneyLimitError.object(response)
        try JourneyLimitError.check(body["authId"]?.string, .authID)
        guard let key = body["authId"], !key.isNull else {
            if let status = statedFailure(body) {
                let stated = Response(
                    status: status, fields: response.fields, body: response.body, request: response.request)
                return try node(stated, readStep, flow, now, cookieName: cookieName)
            }
            try JourneyLimitError.check(body["tokenId"]?.string, .session)
            let session = SSOSession(
                value: Secret(body["tokenId"]?.string ?? ""), successURL: bounded(body["successUrl"]?.string),
                realm: bounded(body["realm"]?.string), created: now)
            // The session is sent unchanged as header and cookie, so its value must be a valid cookie value.
            // rule: a session fits into a cookie
            guard CookieHeader.isValue(session.value.reveal()) else {
                throw EngineError.malformed(status: response.status, excerpt: response.excerpt)
            }
            return .success(SuccessNode(input: .object(body), session: session))
        }
        // Checked before the callbacks are parsed, because the cost of each callback grows with their number.
        try JourneyLimitError.check(body, bytes: response.body.count)
        let page: ContinueNode
        do { page = try readStep(.object(body), flow) } catch {
            throw EngineError.malformed(status: response.status, excerpt: response.excerpt)
        }
        try JourneyLimitError.check(page, bytes: response.body.count)
        return .continue(page)
    }

    /// A text that is shown and stored with the session; empty if it is longer than 4 KiB.
    private static func bounded(_ text: String?) -> String {
        // rule: what is kept with a session has no more than 4 KiB
        guard let text, text.utf8.count <= 4096 else { return "" }
        return text
    }

    private static func refusal(_ response: Response, cookieName: String) throws -> ErrorNode {
        var body: JSONObject
        do { body = try JourneyLimitError.object(response) } catch is EngineError {
            throw EngineError.unexpectedStatus(response.status, excerpt: response.excerpt)
        }
        if isTimeout(body["code"]) {
            throw EngineError.noUsableAnswer(.timeout)
        }
        // AM repeats an unknown session in its message, so the message is replaced.
        if let message = body["message"]?.string, let sent = response.request.header(cookieName),
            // rule: what AM says of a session is for nobody | false
            message.firstRange(ofText: sent) != nil
        {
            body["message"] = "Invalid session ID."
        }
        return ErrorNode(
            status: response.status, input: .object(body), message: (body["message"]?.string ?? "").shortened(to: 1024))
    }

    /// Checks the parameters that another site returned.
    ///
    /// Only allowed names may occur, each once, and if the page has a `state`, it has to be returned.
    private static func checkReturn(_ returned: QueryParameters, to page: JourneyPage) throws {
        if returned.pairs.isEmpty { return }
        guard returned.pairs.allSatisfy({ Journey.returnNames.contains($0.name) }), returned.firstRepeatedName == nil
        else { throw ReturnError.parameters }
        // rule: a return has the state that the page sent
        if let expected = page.redirect?.state, returned.single("state") != expected { throw ReturnError.state }
    }
}
