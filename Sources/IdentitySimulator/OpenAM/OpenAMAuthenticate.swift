internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JSON

/// `…/authenticate`: starts and continues journeys.
///
/// A session in header or cookie has no effect; only `sessionUpgradeSSOTokenId` names a session to upgrade.
///
/// Refuses by docs/simulator.md, 'The dialect `openam`'.
struct OpenAMAuthenticate: Sendable {
    private static let capacity = 20_000
    private static let version = ResponseHeader("Content-API-Version", "resource=2.1")
    private static let upgradeFailure =
        "Session Upgrade fails since user is different than original authenticated user"

    private let services: OAuthServices
    private let journal: Journal
    private let authIDs: OpenAMAuthID
    private let runs = Locked(BoundedTable<OpenAMRun>(capacity: capacity))

    init(_ services: OAuthServices, journal: Journal) {
        self.services = services
        self.journal = journal
        authIDs = OpenAMAuthID(realm: services.settings.realmName)
    }

    func answer(_ call: SimulatedCall) -> ServerResponse {
        guard call.method == .post else { return .openAMError(405, "Method Not Allowed") }
        if let version = call.apiVersion, !(1...2).contains(version) { return ServerResponse(status: 404) }
        var step: JSONObject = [:]
        if !call.body.isEmpty {
            guard call.isJSON else { return .openAMError(415, "Unsupported Media Type") }
            guard let body = call.json else { return .openAMError(400, "Unexpected end-of-input") }
            step = body.object ?? [:]
        }
        guard let authID = step["authId"]?.string else { return start(call) }
        return resume(call, step, authID)
    }

    private func start(_ call: SimulatedCall) -> ServerResponse {
        let index = call.query.all("authIndexType").first.map {
            OpenAMRun.Index(type: $0, value: call.query.all("authIndexValue").first ?? "")
        }
        guard let name = journeyName(index), let journey = JourneyCatalogue.openAM[name] else {
            return .openAMError(400, "No Configuration found")
        }
        let upgrades = call.query.all("sessionUpgradeSSOTokenId").first
        let session = upgrades.flatMap { services.sessions.find($0, now: call.now) }
        // The message repeats the value, so clients must not show it.
        if let upgrades, session == nil { return .openAMError(400, "Invalid session ID.\(upgrades)") }
        let forces = call.query.single("ForceAuth") == "true"
        if let session, !forces, session.journeys.contains(name) { return satisfied(session, call) }
        var run = OpenAMRun(
            journey: JourneyRun(
                id: SSORecord.newOpenAMToken(), journey: name, sessionToken: upgrades, key: "", expires: call.now),
            index: index, upgrades: upgrades, forces: forces,
            makesNoSession: call.query.single("noSession") == "true")
        journal.note(secret: run.journey.id)
        let turn = journey.begin(&run.journey, with: journeyWorld(session, call))
        return finish(turn, in: &run, for: call)
    }

    private func resume(_ call: SimulatedCall, _ step: JSONObject, _ authID: String) -> ServerResponse {
        let id: String
        do throws(OpenAMAuthID.AuthIDError) {
            id = try authIDs.check(authID)
        } catch {
            switch error {
            case .noJWT: return .openAMError(400, "Failed to parse JWT, Failed to parse json: Unrecognized token")
            case .signature: return .openAMError(400, "AuthId JWT Signature not valid")
            }
        }
        guard var run = runs.withLock({ $0.remove(id) }), call.now < run.journey.expires,
            let journey = JourneyCatalogue.openAM[run.journey.journey]
        else { return .openAMError(408, "Session has timed out", farewell(call)) }
        guard step["callbacks"] != nil else { return refused(.refused) }
        guard let answers = JourneyAnswers(step, to: run.journey.page) else {
            let (kept, key) = (run, id)
            runs.withLock { $0[key] = kept }
            return .openAMError(400, "Required callback not found in JSON response")
        }
        let session = run.upgrades.flatMap { services.sessions.find($0, now: call.now) }
        let turn = journey.advance(answers, in: &run.journey, with: journeyWorld(session, call))
        return finish(turn, in: &run, for: call)
    }

    private func journeyWorld(_ session: SSORecord?, _ call: SimulatedCall) -> JourneyServices {
        JourneyServices(settings: services.settings, directory: services.directory, now: call.now, session: session)
    }

    private func finish(_ turn: JourneyTurn, in run: inout OpenAMRun, for call: SimulatedCall) -> ServerResponse {
        switch turn {
        case .page(let page):
            run.journey.page = page
            run.pages += 1
            run.journey.expires = call.now + services.settings.journeyLifetime
            let authID = authIDs.sign(run)
            journal.note(secret: authID)
            let kept = run
            runs.withLock { $0[kept.journey.id] = kept }
            return .json(
                200, page.openAMJSON(authID: authID, number: run.pages),
                [
                    Self.version, cookie("AMAuthCookie", run.journey.id, call), cookie("amlbcookie", "01", call),
                ])
        case .unchanged: return refused(.refused)
        case .failure(let refusal): return refused(refusal)
        case .answer(let answer): return answer
        case .success(let user, let level, let amr):
            let noSession = run.makesNoSession || call.query.single("noSession") == "true"
            return noSession ? withoutSession(call) : session(of: user, level: level, amr: amr, run, for: call)
        }
    }

    /// The session after a sign-in: a new one, or the one that the start named, if the same user signed in.
    private func session(
        of user: String, level: Int, amr: [String], _ run: OpenAMRun, for call: SimulatedCall
    ) -> ServerResponse {
        let (name, sessions) = (run.journey.journey, services.sessions)
        if let upgrades = run.upgrades {
            guard let old = sessions.find(upgrades, now: call.now), old.user == user else {
                return .openAMError(400, Self.upgradeFailure)
            }
            let upgraded = sessions.upgrade(
                old, to: run.forces ? old.token : run.journey.id, level: level, amr: amr, journey: name,
                now: call.now)
            return success(upgraded, call)
        }
        // Every user is refused, even if header or cookie carries a session.
        if run.forces { return .openAMError(400, Self.upgradeFailure) }
        if let most = services.settings.sessionsPerUser, sessions.count(of: user) >= most {
            return .openAMError(401, "You have reached your session limit.")
        }
        return success(
            sessions.create(run.journey.id, user: user, level: level, amr: amr, journey: name, now: call.now), call)
    }

    // MARK: Answers

    private var destination: JSONObject {
        ["successUrl": "/openam/console", "realm": .string(services.settings.realmName)]
    }

    private func success(_ session: SSORecord, _ call: SimulatedCall) -> ServerResponse {
        var response = satisfied(session, call)
        response.headers += [
            cookie(services.settings.cookieName, session.token, call), cookie("amlbcookie", "01", call),
        ]
        return response
    }

    /// The response for a session that has gone through the journey; as it is, it answers a start that needs no page.
    private func satisfied(_ session: SSORecord, _ call: SimulatedCall) -> ServerResponse {
        var body: JSONObject = ["tokenId": .string(session.token)]
        for (name, value) in destination { body[name] = value }
        return .json(200, body, [Self.version, expired("AMAuthCookie", "LOGOUT", call)])
    }

    private func withoutSession(_ call: SimulatedCall) -> ServerResponse {
        var body: JSONObject = ["message": "Authentication Successful"]
        for (name, value) in destination { body[name] = value }
        return .json(
            200, body,
            [Self.version, cookie("amlbcookie", "01", call), expired("AMAuthCookie", "LOGOUT", call)])
    }

    private func refused(_ refusal: JourneyRefusal) -> ServerResponse { .openAMError(401, refusal.openAMMessage) }

    /// Cookies that delete the session cookie and the load balancer's cookie in a browser.
    private func farewell(_ call: SimulatedCall) -> [ResponseHeader] {
        [expired(services.settings.cookieName, "", call), expired("amlbcookie", "LOGOUT", call)]
    }

    private func expired(_ name: String, _ value: String, _ call: SimulatedCall) -> ResponseHeader {
        cookie(name, value + "; Expires=Thu, 01 Jan 1970 00:00:10 GMT", call)
    }

    private func cookie(_ name: String, _ value: String, _ call: SimulatedCall) -> ResponseHeader {
        ResponseHeader("Set-Cookie", "\(name)=\(value)\(domain(call)); Path=/")
    }

    /// The cookie attribute `Domain`: the published host, if it is a name with a dot; else empty.
    private func domain(_ call: SimulatedCall) -> String {
        guard let host = WebURL(call.base)?.host, host.contains("."), host.last?.isLetter == true else { return "" }
        return "; Domain=\(host)"
    }

    private func journeyName(_ index: OpenAMRun.Index?) -> String? {
        switch index?.type {
        case nil: JourneyCatalogue.standard
        case "service": index?.value
        case "level": Int(index?.value ?? "").map { $0 <= 0 ? JourneyCatalogue.standard : "StepUp" }
        // The value may come without a realm.
        case "composite_advice": index.flatMap { SimulatedAdvice($0.value) }.flatMap { $0.openAMJourney }
        default: nil
        }
    }
}

extension SimulatedAdvice {
    /// The journey that fulfils the advice; OpenAM knows modules, and no transactions.
    fileprivate var openAMJourney: String? {
        switch name {
        case "AuthSchemeConditionAdvice": "StepUp"
        case "TransactionConditionAdvice": nil
        default: journey
        }
    }
}
