internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/authenticate`: starts and continues journeys.
struct AuthenticateEndpoint: Sendable {
    private static let capacity = 20_000
    private static let version = ResponseHeader("Content-API-Version", "resource=2.1")

    private let settings: SimulatorSettings
    private let directory: UserDirectory
    private let sessions: SessionRegistry
    private let journal: Journal
    private let signer: AuthID.Signer
    private let runs = Locked(BoundedTable<JourneyRun>(capacity: capacity))

    init(_ settings: SimulatorSettings, directory: UserDirectory, sessions: SessionRegistry, journal: Journal) {
        self.settings = settings
        self.directory = directory
        self.sessions = sessions
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
        if call.query.single("suspendedId") != nil {
            // Nothing is ever suspended here, so every link is one that has been used or has expired.
            return .amError(
                401,
                "org.forgerock.openam.auth.nodes.framework.token.SuspendedAuthSessionException: Token not found. "
                    + "It may have expired.")
        }
        guard let name = journeyName(call), let journey = JourneyCatalogue.all[name] else {
            return .amError(400, "No Configuration found")
        }
        let session = call.sessionToken(settings.cookieName).flatMap { sessions.find($0, now: call.now) }
        if let session, call.query.single("ForceAuth") != "true" {
            return success(session, call, isNew: false, broughtSession: true)
        }
        var run = JourneyRun(
            id: Identifier.random(16), journey: name, sessionToken: session?.token, key: "", expires: call.now)
        let services = journeyServices(session, call)
        let turn = journey.begin(&run, services)
        return finish(turn, &run, services, call)
    }

    private func resume(_ call: SimulatedCall, _ step: JSONObject, authID text: String) -> ServerResponse {
        guard let authID = signer.check(text) else { return Self.refused }
        // The run is taken out of the table, so of two requests with one authId only one finds it.
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
        let session = run.sessionToken.flatMap { sessions.find($0, now: call.now) }
        let services = journeyServices(session, call)
        let turn = journey.advance(answers, &run, services)
        return finish(turn, &run, services, call)
    }

    private func journeyServices(_ session: SSORecord?, _ call: SimulatedCall) -> JourneyServices {
        JourneyServices(
            settings: settings, directory: directory, now: call.now, session: session,
            languages: call.headers.single("accept-language") ?? "")
    }

    private func finish(
        _ turn: JourneyTurn, _ run: inout JourneyRun, _ services: JourneyServices, _ call: SimulatedCall
    ) -> ServerResponse {
        switch turn {
        case .page(let page):
            run.page = page
            run.key = Identifier.random(16)
            // Whole seconds, as the token can say no more.
            run.expires = Timestamp(seconds: (call.now + settings.journeyLifetime).seconds)
            let authID = signer.sign(run, now: call.now)
            journal.note(secret: authID)
            let (kept, now) = (run, call.now)
            runs.withLock { runs in
                if runs.count >= Self.capacity - 1 { runs.removeAll { $0.expires <= now } }
                runs[kept.id] = kept
            }
            return .json(200, page.json(authID: authID), [Self.version] + balancerCookie(call))
        case .success(let user, let level, let amr):
            // As with AM the last request decides: a client that says it at the start only gets a session.
            if call.query.single("noSession") == "true" { return .json(200, destination, [Self.version]) }
            if let session = services.session, session.user == user {
                let upgraded = sessions.upgrade(
                    session, level: level, amr: amr, journey: run.journey, now: call.now)
                return success(upgraded, call, isNew: true, broughtSession: true)
            }
            let created = sessions.create(user: user, level: level, amr: amr, journey: run.journey, now: call.now)
            return success(created, call, isNew: true, broughtSession: services.session != nil)
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

    /// Whether the session travels in its cookie alone.
    private func leavesTokenOut(_ broughtSession: Bool) -> Bool {
        switch settings.ping.emptyTokenID {
        case .never: false
        case .session: broughtSession
        case .always: true
        }
    }

    /// The cookie by which a load balancer finds the server again; set once.
    private func balancerCookie(_ call: SimulatedCall) -> [ResponseHeader] {
        let known = call.headers.values("cookie").contains { $0.contains("amlbcookie=") }
        return known ? [] : [ResponseHeader("Set-Cookie", "amlbcookie=01; Path=/")]
    }

    /// The journey that the parameters name; nil when they name none.
    private func journeyName(_ call: SimulatedCall) -> String? {
        let value = call.query.single("authIndexValue")
        switch call.query.single("authIndexType") {
        case nil: return value == nil ? JourneyCatalogue.standard : nil
        case "service": return value
        case "composite_advice": return value.flatMap { SimulatedAdvice($0)?.journey }
        default: return nil
        }
    }
}
