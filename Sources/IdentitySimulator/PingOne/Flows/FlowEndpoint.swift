internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// Starts and continues flows, and checks the requests for them.
///
/// Refuses by docs/protocol.md, 'DaVinci'.
final class FlowEndpoint: Sendable {
    private static let capacity = 20_000
    /// The time by which a poll may be early, since client and simulator read different clocks.
    private static let tolerance = Duration.milliseconds(20)

    let journal: Journal
    private let services: OAuthServices
    private let outbox: Outbox
    let departures: FlowDepartures
    /// The runs, by the value of the cookie `interactionId`.
    ///
    /// One request at a time is answered, so that each step is taken once.
    private let runs = Locked(BoundedTable<FlowRun>(capacity: capacity))

    private var settings: PingOneSettings { services.settings.pingOne }

    init(_ services: OAuthServices, journal: Journal, social: SocialProvider, outbox: Outbox) {
        self.services = services
        self.journal = journal
        self.outbox = outbox
        departures = FlowDepartures(social, journal)
    }

    /// Answers requests below `davinci`.
    func answer(_ call: SimulatedCall, _ path: [String]) -> ServerResponse {
        switch (call.method, path.first, path.count, path.last) {
        case (.post, "connections", 4, _): step(call, path)
        case (.post, "connections", 5, "continue"): resume(call)
        case (.get, "connections", 4, "loginFirstFactor"): departures.leave(call)
        case (.get, "social", 2, "return"): departures.comeBack(call)
        case (.post, "user", 5, "status"): status(call, of: path[3])
        default: .pingError(404, "NOT_FOUND", "The requested resource was not found.")
        }
    }

    /// True if a request has the header of an SDK; without it PingOne answers with HTML.
    func isFromSDK(_ call: SimulatedCall) -> Bool {
        if call.headers.single("x-requested-with") == "ping-sdk" { return true }
        journal.refuse(.requestedWith)
        return false
    }

    /// The HTML page for browsers without an SDK.
    func verbose(_ call: SimulatedCall) -> ServerResponse {
        let link = "\(call.base)/\(settings.environment)/davinci/\(FlowConnector.http.path.joined(separator: "/"))"
        return .json(
            200,
            [
                "interactionId": .string(Identifier.tracking()), "connectorId": "api",
                "interactionToken": .string(Identifier.random(96)), "success": true, "startUiSubFlow": true,
                "_links": ["next": ["href": .string(link)]], "eventName": "continue",
                "screen": [
                    "name": "Sign On",
                    "properties": [
                        "customHTML": ["value": "<form>Sign on</form>"],
                        "formFieldsList": ["value": [["propertyName": "username", "displayName": "Username"]]],
                    ],
                ],
            ])
    }

    private func fail(_ rule: FlowRule) -> ServerResponse {
        journal.refuse(rule)
        return FlowRefusal.expired().response(settings.environment)
    }

    // MARK: Steps

    /// Starts a flow.
    func start(_ request: PingOneRequest, _ session: SSORecord?, _ call: SimulatedCall) -> ServerResponse {
        guard isFromSDK(call) else { return verbose(call) }
        guard let policy = PolicyTable.policy(request.policy) else { return verbose(call) }
        var run = FlowRun(request, session: session?.token, now: call.now)
        let turn = policy.begin(&run, with: flowServices(session, call))
        var response = answer(turn, in: &run, for: call)
        response.headers.append(
            ResponseHeader("Set-Cookie", "skProxyApiEnvironmentId=eu-west-1; Max-Age=900; Path=/; HttpOnly"))
        let kept = run
        runs.withLock { $0[kept.cookie] = kept }
        return response
    }

    private func flowServices(_ session: SSORecord?, _ call: SimulatedCall) -> FlowServices {
        FlowServices(oauth: services, social: departures, outbox: outbox, call: call, session: session)
    }

    private func step(_ call: SimulatedCall, _ path: [String]) -> ServerResponse {
        guard isFromSDK(call) else { return verbose(call) }
        guard call.isJSON, let body = call.json?.object else { return fail(.body) }
        return withRun(call) { run, policy, services in
            // Ping's mobile SDKs send both in the cookies alone.
            guard call.headers.values("interactiontoken").allSatisfy({ $0 == run.token }) else {
                return fail(.interactionToken)
            }
            guard path == run.page.connector.path else { return fail(.link) }
            let input: FlowInput
            do throws(FlowInput.FaultError) { input = try FlowInput(body, run) } catch {
                return fail(error.rule)
            }
            input.warnings.forEach { journal.warn($0) }
            if input.event == "polling" {
                // Ping's SDKs report a timeout straight after the last poll.
                if let from = run.pollFrom, run.challenge == nil, call.now + Self.tolerance < from,
                    !input.saysTimedOut(on: run.page)
                {
                    journal.warn(.earlyPoll)
                }
            } else {
                run.answered[run.node, default: 0] += 1
                guard run.answered[run.node, default: 0] <= settings.nodeRuns else {
                    return answer(.failure("server_error"), in: &run, for: call)
                }
            }
            return answer(policy.advance(input, in: &run, with: services), in: &run, for: call)
        }
    }

    private func resume(_ call: SimulatedCall) -> ServerResponse {
        guard isFromSDK(call) else { return verbose(call) }
        let field = call.headers.single("authorization")?.split(separator: " ") ?? []
        guard field.count == 2, field[0].lowercased() == "bearer", call.json == .object([:]),
            call.headers.first("interactionid") == nil, call.headers.first("interactiontoken") == nil
        else { return fail(.resume) }
        return withRun(call) { run, policy, services in
            guard run.page.hasReturn, let arrival = departures.take(String(field[1]), of: run.cookie) else {
                return fail(.continueToken)
            }
            return answer(policy.resume(arrival.user, in: &run, with: services), in: &run, for: call)
        }
    }

    /// Answers a poll for the status of a challenge; the response is no node.
    private func status(_ call: SimulatedCall, of challenge: String) -> ServerResponse {
        guard isFromSDK(call) else { return verbose(call) }
        return withRun(call) { run, policy, _ in
            if call.headers.first("interactiontoken") != nil || call.json != .object([:])
                || call.headers.single("interactionid") != run.id
            {
                journal.warn(.status)
            }
            guard run.challenge == challenge else {
                return .json(400, ["code": 4019, "message": "Bad challenge"])
            }
            if let from = run.pollFrom, call.now + Self.tolerance < from { journal.warn(.earlyPoll) }
            run.pollFrom = call.now + settings.pollInterval
            run.polls += 1
            switch policy.status(&run) {
            case .pending: return .json(200, ["isChallengeComplete": false, "status": "started"])
            case .complete(let status):
                return .json(200, ["isChallengeComplete": true, "status": .string(status)])
            case .expired:
                return .json(
                    400,
                    [
                        "cause": ["message": "Challenge Expired"], "logLevel": "error",
                        "serviceName": "challengeExpired", "correlationId": .string(Identifier.tracking()),
                    ])
            }
        }
    }

    /// Finds the run of a request, whose cookies and ids must be the ones of the newest page.
    private func withRun(
        _ call: SimulatedCall,
        _ body: (inout FlowRun, any FlowPolicy, FlowServices) -> ServerResponse
    ) -> ServerResponse {
        let cookies = CookieHeader(call.headers.values("cookie"))
        let named = call.headers.values("interactionid")
        return runs.withLock { runs in
            guard let cookie = cookies.single("interactionId"), var run = runs[String(cookie)] else {
                // If the run is no longer stored, the client has made no mistake.
                let isKnown = runs.values.contains { named.contains($0.id) }
                return isKnown ? fail(.cookies) : FlowRefusal.expired().response(settings.environment)
            }
            guard named.allSatisfy({ $0 == run.id }),
                cookies.single("interactionToken").map({ String($0) }) == run.cookieToken
            else { return fail(.cookies) }
            guard !run.isOver else { return fail(.endedFlow) }
            guard call.now < run.started + settings.flowLifetime,
                let policy = PolicyTable.policy(run.request.policy)
            else {
                runs[run.cookie] = nil
                return FlowRefusal.expired("requestTimedOut").response(settings.environment)
            }
            if services.sessions.isMissing(run.session, in: PingOneCookies.session(call), now: call.now) {
                journal.warn(.sessionMissing)
            }
            let session = run.session.flatMap { services.sessions.find($0, now: call.now) }
            let response = body(&run, policy, flowServices(session, call))
            if run.cookie != String(cookie) { runs[String(cookie)] = nil }
            runs[run.cookie] = run
            return response
        }
    }

    // MARK: Answers

    private func answer(_ turn: FlowTurn, in run: inout FlowRun, for call: SimulatedCall) -> ServerResponse {
        switch turn {
        case .page(let page):
            run.show(page)
            // The status of a challenge may be polled at once.
            run.pollFrom = run.challenge == nil ? call.now + settings.pollInterval : nil
            for secret in [run.id, run.cookie, run.token, run.cookieToken] { journal.note(secret: secret) }
            let attributes = "Max-Age=3600; Path=/; Expires=Wed, 27 Mar 2999 05:06:30 GMT; HttpOnly"
            return .json(
                200, page.json(run, call, settings.environment),
                [
                    ResponseHeader("Set-Cookie", "interactionId=\(run.cookie); \(attributes)"),
                    ResponseHeader("Set-Cookie", "interactionToken=\(run.cookieToken); \(attributes)"),
                ])
        case .success(let user, let amr): return success(user, amr: amr, in: &run, for: call)
        case .refusal(let refusal):
            run.pollFrom = call.now + settings.pollInterval
            return refusal.response(settings.environment)
        case .failure(let code):
            run.isOver = true
            return FlowAnswer.failed(code, environment: settings.environment)
        case .rewind(let event):
            run.pollFrom = call.now + settings.pollInterval
            return .json(200, ["eventName": .string(event)])
        case .unsound(let rule): return fail(rule)
        }
    }

    private func success(
        _ user: String, amr: [String], in run: inout FlowRun, for call: SimulatedCall
    ) -> ServerResponse {
        run.isOver = true
        let token = PingOneCookies.session(call) ?? run.session
        let old = token.flatMap { services.sessions.find($0, now: call.now) }
        let session: SSORecord
        if let old {
            guard old.user == user else {
                var refusal = FlowRefusal(
                    "returnSuccessResponseRedirect", "userSessionMismatch",
                    "The user does not match the user of the session")
                refusal.connector = "pingOneAuthenticationConnector"
                return refusal.response(settings.environment)
            }
            session = services.sessions.upgrade(
                old, to: Identifier.random(48), level: 0, amr: amr, journey: run.request.policy, now: call.now)
        } else {
            session = services.sessions.create(
                Identifier.random(48), user: user, level: 0, amr: amr, journey: run.request.policy, now: call.now)
        }
        return FlowAnswer(services: services, journal: journal, call: call).success(run, session, amr: amr)
    }
}
