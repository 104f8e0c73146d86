internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/authenticate`: starts and continues journeys.
///
/// Refuses by docs/protocol.md, 'Journeys'.
/// Refuses by docs/protocol.md, 'Refusals'.
struct AuthenticateEndpoint: Sendable {
    private static let capacity = 20_000
    private static let version = ResponseHeader("Content-API-Version", "resource=2.1")

    private let settings: SimulatorSettings
    private let directory: UserDirectory
    private let sessions: SessionRegistry
    private let journal: Journal
    private let signer: AuthID.Signer
    private let social: SocialProvider
    private let outbox: Outbox
    private let gateway: PolicyGateway
    private let suspended = Locked(BoundedTable<JourneyRun>(capacity: 1000))
    private let runs = Locked(BoundedTable<JourneyRun>(capacity: capacity))

    init(
        _ services: OAuthServices, journal: Journal, social: SocialProvider, outbox: Outbox,
        gateway: PolicyGateway
    ) {
        settings = services.settings
        directory = services.directory
        sessions = services.sessions
        self.social = social
        self.outbox = outbox
        self.gateway = gateway
        self.journal = journal
        signer = AuthID.Signer(realm: settings.realmName)
    }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .post else { return .amError(405, "Method Not Allowed") }
        if let version = call.apiVersion, !(1...2).contains(version) { return .amError(400, "Unsupported API version") }
        guard call.query.firstRepeatedName == nil else { return .amError(400, "Bad Request") }
        var step: JSONObject = [:]
        if !call.body.isEmpty {
            guard call.isJSON else { return .amError(415, "Unsupported Media Type") }
            guard let body = call.json?.object else { return .amError(400, "Bad Request") }
            step = body
        }
        guard let authID = step["authId"] else { return start(call) }
        guard let text = authID.string else { return .amError(400, "Bad Request") }
        return resume(call, step, authID: text)
    }

    private func start(_ call: SimulatedCall) -> ServerResponse {
        if let id = call.query.single("suspendedId") { return open(link: id, call) }
        let advice = advice(call)
        guard let name = journeyName(call, advice), let journey = JourneyCatalogue.all[name] else {
            return .amError(400, "No Configuration found")
        }
        let session = call.sessionToken(settings.cookieName).flatMap { sessions.find($0, now: call.now) }
        let approves = advice?.transaction ?? transaction(call)
        // A transaction wants an approval of its own, which no session can give.
        if let session, approves == nil, call.query.single("ForceAuth") != "true" {
            return success(session, call, isNew: false, broughtSession: true)
        }
        var run = JourneyRun(
            id: Identifier.random(16), journey: name, sessionToken: session?.token, key: "", expires: call.now)
        run.transaction = approves
        let services = journeyServices(session, call)
        let turn = journey.begin(&run, with: services)
        return finish(turn, in: &run, with: services, call)
    }

    /// Resumes a suspended journey by its link, once.
    private func open(link id: String, _ call: SimulatedCall) -> ServerResponse {
        guard var run = suspended.withLock({ $0.remove(id) }), call.now < run.expires,
            call.query.single("authIndexValue") == nil, let journey = JourneyCatalogue.all[run.journey]
        else {
            return .amError(
                401,
                "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. "
                    + "It may have expired.")
        }
        let session = call.sessionToken(settings.cookieName).flatMap { sessions.find($0, now: call.now) }
        let services = journeyServices(session, call)
        let turn = journey.resume(&run, with: services)
        return finish(turn, in: &run, with: services, call)
    }

    private func resume(_ call: SimulatedCall, _ step: JSONObject, authID text: String) -> ServerResponse {
        guard let authID = signer.check(text) else { return Self.refused }
        // The run is removed from the table, so only one of two requests with the same authId finds it.
        let taken = runs.withLock { runs -> JourneyRun? in
            guard let run = runs[authID.run], run.key == authID.key else { return nil }
            return runs.remove(authID.run)
        }
        guard call.now < authID.expires else {
            return .amError(401, "Session has timed out", detail: ["errorCode": "110"])
        }
        guard var run = taken, let journey = JourneyCatalogue.all[run.journey] else { return Self.refused }
        guard let answers = JourneyAnswers(step, to: run.page) else {
            return .amError(400, "The callbacks are not those of the page")
        }
        if !answers.isEcho { journal.warn(.pageChanged) }
        if sessions.isMissing(run.sessionToken, in: call.sessionToken(settings.cookieName), now: call.now) {
            journal.warn(.sessionMissing)
        }
        let session = run.sessionToken.flatMap { sessions.find($0, now: call.now) }
        let services = journeyServices(session, call)
        let turn = journey.advance(answers, in: &run, with: services)
        return finish(turn, in: &run, with: services, call)
    }

    private func journeyServices(_ session: SSORecord?, _ call: SimulatedCall) -> JourneyServices {
        JourneyServices(
            settings: settings, directory: directory, now: call.now, session: session,
            languages: call.headers.single("accept-language") ?? "",
            elsewhere: Elsewhere(social: social, outbox: outbox, gateway: gateway, call: call))
    }

    private func finish(
        _ turn: JourneyTurn, in run: inout JourneyRun, with services: JourneyServices, _ call: SimulatedCall
    ) -> ServerResponse {
        switch turn {
        case .page(let page):
            run.page = page
            run.key = Identifier.random(16)
            // Whole seconds, the precision of the token's `exp`.
            run.expires = Timestamp(seconds: (call.now + settings.journeyLifetime).seconds)
            let authID = signer.sign(run, now: call.now)
            journal.note(secret: authID)
            let (kept, now) = (run, call.now)
            runs.withLock { runs in
                if runs.count >= Self.capacity - 1 { runs.removeAll { $0.expires <= now } }
                runs[kept.id] = kept
            }
            if let id = kept.suspendedID { suspended.withLock { $0[id] = kept } }
            let cookies = page.cookies.map { ResponseHeader("Set-Cookie", $0) }
            return .json(200, page.json(authID: authID), [Self.version] + cookies + balancerCookie(call))
        case .success(let user, let level, let amr):
            // The last request decides, as in AM: a client that sends `noSession` only at the start gets a session.
            if call.query.single("noSession") == "true" { return .json(200, destination, [Self.version]) }
            if let session = services.session, session.user == user {
                let upgraded = sessions.upgrade(
                    session, level: level, amr: amr, journey: run.journey, now: call.now)
                return success(upgraded, call, isNew: true, broughtSession: true)
            }
            let created = sessions.create(user: user, level: level, amr: amr, journey: run.journey, now: call.now)
            return success(created, call, isNew: true, broughtSession: services.session != nil)
        case .unchanged:
            return services.session.map { success($0, call, isNew: false, broughtSession: true) } ?? Self.refused
        case .failure(let refusal): return .amError(401, refusal.pingMessage, detail: refusal.pingDetail)
        case .answer(let answer): return answer
        }
    }

    private static var refused: ServerResponse { .amError(401, "Login failure", detail: ["failureUrl": ""]) }

    private var destination: JSONObject {
        ["successUrl": .string("/enduser/?realm=\(settings.realmName)"), "realm": .string(settings.realmName)]
    }

    private func success(
        _ session: SSORecord, _ call: SimulatedCall, isNew: Bool, broughtSession: Bool
    ) -> ServerResponse {
        var body: JSONObject = ["tokenId": .string(leavesTokenOut(broughtSession) ? "" : session.token)]
        for (name, value) in destination { body[name] = value }
        var headers = [Self.version]
        if isNew {
            let secure = call.base.hasPrefix("https:") ? "; Secure" : ""
            headers.append(
                ResponseHeader("Set-Cookie", "\(settings.cookieName)=\(session.token); Path=/\(secure); HttpOnly"))
        }
        return .json(200, body, headers + balancerCookie(call))
    }

    /// True if the response leaves `tokenId` empty, so that only the cookie carries the session.
    private func leavesTokenOut(_ broughtSession: Bool) -> Bool {
        switch settings.ping.emptyTokenID {
        case .never: false
        case .session: broughtSession
        case .always: true
        }
    }

    /// The load balancer's cookie for session affinity; set once.
    private func balancerCookie(_ call: SimulatedCall) -> [ResponseHeader] {
        let known = call.headers.values("cookie").contains { $0.contains("amlbcookie=") }
        return known ? [] : [ResponseHeader("Set-Cookie", "amlbcookie=01; Path=/")]
    }

    /// The journey that the parameters name; nil if they name none.
    private func journeyName(_ call: SimulatedCall, _ advice: SimulatedAdvice?) -> String? {
        let value = call.query.single("authIndexValue")
        switch call.query.single("authIndexType") {
        case nil: return value == nil ? JourneyCatalogue.standard : nil
        case "service": return value
        case "composite_advice": return advice?.journey
        case "transaction": return "Transaction"
        default: return nil
        }
    }

    /// The backchannel transaction that is to be run; nil where there is none.
    private func transaction(_ call: SimulatedCall) -> String? {
        call.query.single("authIndexType") == "transaction" ? call.query.single("authIndexValue") : nil
    }

    /// The advice to follow; nil if the request has none.
    private func advice(_ call: SimulatedCall) -> SimulatedAdvice? {
        guard call.query.single("authIndexType") == "composite_advice" else { return nil }
        return call.query.single("authIndexValue").flatMap { SimulatedAdvice($0) }
    }
}
