import Basics
import HTTPCore
import HTTPServer
import IdentitySimulator
import JSON

/// Ends sign-ins without their cookies: an operator, by the admin listener, and the provider, by logout tokens.
///
/// Each act is repeated by another machine for as long as it has no answer, some times. What it has ended for certain is
/// not told of and not used by any request that is sent after its answer, and it does not touch other users.
///
/// Sendable invariant: one thread, as of `World`.
final class Operator: @unchecked Sendable {
    /// The most acts of a world.
    private static let most = 8
    /// How often an act is repeated that has no answer.
    private static let attempts = 4
    private static let store = BrowserModel.storeFaults + ["a machine gets another key"]

    private let cluster: Cluster
    private let browsers: [Browser]
    /// The acts that are left out.
    private let without: Set<String>
    private var sent = 0
    /// The logout tokens that were answered with success.
    private var used: Set<String> = []
    /// True once the users have done all that they do.
    var isAlone = false

    init(_ cluster: Cluster, _ browsers: [Browser], without: Set<String>) {
        self.cluster = cluster
        self.browsers = browsers
        self.without = without
    }

    private var world: World { cluster.surroundings.world }
    private var mix: Mix { cluster.surroundings.mix }

    /// The names by which one act can be left out.
    static let names = (0..<most).map { "remote#\($0)" }

    func run() async {
        for number in 0..<Self.most {
            var numbers = SeededNumbers(world.seed &+ UInt64(number), "remote ends of one")
            await world.pass(numbers.span(upTo: .seconds(numbers.happens(0.5) ? 30 : 240)))
            guard !isAlone, !world.isEnding else { return }
            guard !without.contains(Self.names[number]) else { continue }
            await act(&numbers)
        }
    }

    // MARK: Acts

    /// A sign-in of which the provider has told, one of the last most of the time.
    private func signIn(_ numbers: inout SeededNumbers) -> (grant: Ledger.Gift, statement: Statement)? {
        let known = cluster.ledger.gifts.filter { $0.value.statement != nil }
            .sorted { ($0.value.at, $0.key) < ($1.value.at, $1.key) }.map(\.value)
        guard !known.isEmpty else { return nil }
        let grant = numbers.happens(0.7) ? known[max(0, known.count - 1 - numbers.below(3))] : numbers.pick(known)
        return grant.statement.map { (grant, $0) }
    }

    private func act(_ numbers: inout SeededNumbers) async {
        guard let (grant, statement) = signIn(&numbers) else { return }
        let subject: JSONObject = [
            "format": "iss_sub", "iss": .string(statement.issuer), "sub": .string(statement.subject),
        ]
        switch numbers.below(12) {
        case 0, 1: await endAll(grant.user, subject, "/sessions/end", &numbers)
        case 2: await endAll(grant.user, subject, "/global-token-revocation", &numbers)
        case 3: await endBefore(grant.user, subject, &numbers)
        case 4, 5: await endOne(grant.user, subject, &numbers)
        case 6 where mix.storeSlow == 0: await endEveryone(&numbers)
        case 6: await endAll(grant.user, subject, "/sessions/end", &numbers)
        default:
            guard !Instance(grant.client).isDaVinci else {
                return await endAll(grant.user, subject, "/sessions/end", &numbers)
            }
            await logOut(grant, statement, &numbers)
        }
    }

    /// The instant up to which authentications are ended for certain by an act that begins now.
    private var certain: Duration? { mix.keyChanges ? nil : world.now - mix.skew }

    private func endAll(
        _ user: String, _ subject: JSONObject, _ target: String, _ numbers: inout SeededNumbers
    ) async {
        let body: JSONObject = ["sub_id": .object(subject)]
        for _ in 0..<Self.attempts {
            let end = RemoteEnd(users: [user], until: certain)
            let response = await self.end(end, AdminCall("end-all \(user)", target, body), &numbers)
            if isDone(response) { return await lookAgain(subject, end, &numbers) }
            await world.pass(numbers.span(upTo: .seconds(5)))
        }
    }

    private func endBefore(_ user: String, _ subject: JSONObject, _ numbers: inout SeededNumbers) async {
        let instant = (MachineTime.beginning + world.now).seconds - Int64(numbers.pick([0, 1, 30, 120]))
        let body: JSONObject = ["sub_id": .object(subject), "before": JSONValue(instant + 1)]
        let stated = Timestamp(seconds: instant) - MachineTime.beginning
        let end = RemoteEnd(users: [user], until: certain.map { min($0, stated) })
        let call = AdminCall("end-before \(user)", "/sessions/end", body)
        if isDone(await self.end(end, call, &numbers)) { await lookAgain(subject, end, &numbers) }
    }

    private func endEveryone(_ numbers: inout SeededNumbers) async {
        let instant = (MachineTime.beginning + world.now).seconds - Int64(numbers.pick([0, 5, 60]))
        let users = Set(browsers.flatMap { Definition.users($0.number, mix) })
        let stated = Timestamp(seconds: instant) - MachineTime.beginning
        let end = RemoteEnd(users: users, until: certain.map { min($0, stated) })
        let body: JSONObject = ["everyone": true, "before": JSONValue(instant + 1)]
        _ = await self.end(end, AdminCall("end-everyone", "/sessions/end", body), &numbers)
    }

    /// Lists a user's sessions and ends one.
    private func endOne(_ user: String, _ subject: JSONObject, _ numbers: inout SeededNumbers) async {
        let began = world.now
        guard let listed = await list(user, subject, &numbers), !listed.isEmpty,
            let id = numbers.pick(listed)["id"]?.string
        else { return }
        let body: JSONObject = ["sub_id": .object(subject), "session": .string(id)]
        let call = AdminCall("end-one \(user)", "/sessions/end", body)
        guard isDone(await end(RemoteEnd(users: [user]), call, &numbers)), !mix.keyChanges,
            let rest = await list(user, subject, &numbers)
        else { return }
        let isNewer = cluster.ledger.gifts.values.contains {
            $0.kind == .grant && $0.user == user && $0.at > began - Definition.storing
        }
        if !isNewer, rest.contains(where: { $0["id"]?.string == id }) {
            world.fail(.afterEnd, "a session of \(user) is listed that was ended before")
        }
    }

    // MARK: Lists

    private func list(
        _ user: String, _ subject: JSONObject, _ numbers: inout SeededNumbers
    ) async -> [JSONValue]? {
        let call = AdminCall("list-sessions \(user)", "/sessions/list", ["sub_id": .object(subject)])
        let response = await send(call, &numbers)
        judge(response, call)
        guard isDone(response) else { return nil }
        world.record.count(.check, "a list of sessions")
        return response?.json?["sessions"]?.array ?? []
    }

    /// None of what was ended is listed by any machine.
    private func lookAgain(_ subject: JSONObject, _ end: RemoteEnd, _ numbers: inout SeededNumbers) async {
        guard numbers.happens(0.6), let until = end.until, let user = end.users.first,
            let rest = await list(user, subject, &numbers)
        else { return }
        let signIns = rest.flatMap { $0["signIns"]?.array ?? [] }
        for at in signIns.compactMap({ $0["authenticatedAt"]?.int })
        where Timestamp(seconds: at) - MachineTime.beginning <= until {
            world.fail(.afterEnd, "a sign-in of \(user) is listed that was ended before")
        }
    }

    // MARK: Logout tokens

    /// The provider ends what a user has there, or one session, and says so by a token, again and again until it is taken.
    private func logOut(
        _ grant: Ledger.Gift, _ statement: Statement, _ numbers: inout SeededNumbers
    ) async {
        let isOfSession = numbers.happens(0.4)
        if !isOfSession, numbers.happens(0.5) {
            cluster.endAtProvider(grant.user, withGrants: numbers.happens(0.5))
        }
        let end = RemoteEnd(
            users: [grant.user], session: isOfSession ? statement.session : nil,
            until: mix.keyChanges ? nil : world.now)
        var claims: JSONObject = ["client": .string(grant.client)]
        if isOfSession { claims["sid"] = .string(statement.session) } else { claims["user"] = .string(grant.user) }
        guard let token = await token(claims) else { return world.fail(.oddEnd, "there is no logout token") }
        let call = AdminCall("logout-token \(grant.user)", "/bff/\(grant.client)/backchannel-logout", token: token)
        let isTwice = numbers.happens(0.2)
        for _ in 0..<Self.attempts {
            let seed = numbers.next()
            // A provider that is impatient sends it to two machines at once.
            let second = Task.detached { [self] in
                var other = SeededNumbers(seed)
                return isTwice ? await self.end(end, call, &other) : nil
            }
            let responses = [await self.end(end, call, &numbers), await second.value]
            if responses.contains(where: { $0?.status == 400 }) || responses.contains(where: isDone) { break }
            await world.pass(numbers.span(upTo: .seconds(10)))
        }
        guard used.contains(token), numbers.happens(0.5) else { return }
        await world.pass(numbers.span(upTo: .seconds(60)))
        _ = await self.end(RemoteEnd(users: [grant.user]), call, &numbers)
    }

    private func token(_ claims: JSONObject) async -> String? {
        let request = ServerRequest(
            method: .post, target: "/simulator/logout-token",
            headers: RequestHeaders([
                (name: "Host", value: "am.example.com"), (name: "Content-Type", value: "application/json"),
            ]), body: RequestBody(claims.serialized()))
        return Response(await cluster.provider.answer(request)).json?["logout_token"]?.string
    }

    // MARK: Calls

    /// A call to the admin listener, or one with a logout token.
    private struct AdminCall {
        let name: String
        let target: String
        var body: JSONObject = [:]
        var token: String?

        init(_ name: String, _ target: String, _ body: JSONObject = [:], token: String? = nil) {
            (self.name, self.target, self.body, self.token) = (name, target, body, token)
        }

        /// What it is called in the table of what was exercised.
        var kind: String { String(name.prefix { $0 != " " }) }
    }

    private func isDone(_ response: Response?) -> Bool { response.map { $0.status < 300 } ?? false }

    /// Makes a call that ends sign-ins: the models of the browsers that it is about know of it.
    private func end(_ end: RemoteEnd, _ call: AdminCall, _ numbers: inout SeededNumbers) async -> Response? {
        let about = browsers.filter { !end.users.isDisjoint(with: Definition.users($0.number, mix)) }
        let request = Request(call.kind, .post, call.target)
        let sent = Sent(
            id: "\(call.kind)-\(self.sent)", jar: Jar(), isForeign: true, isThiefs: false, began: world.now,
            lastUse: nil)
        cluster.ledger.ends.begins(end)
        let exchanges = about.map { $0.beginsRemoteEnd(request, sent, end) }
        let response = await send(call, &numbers)
        let isDone = isDone(response)
        cluster.ledger.ends.ended(end, isDone: isDone, isOpen: response.map { $0.status == 504 } ?? true)
        for (browser, exchange) in zip(about, exchanges) {
            browser.endedRemoteEnd(response.map { .response($0) } ?? .nothing, exchange, end)
        }
        judge(response, call)
        guard isDone else { return response }
        world.record.count(.check, "an end without a cookie")
        guard let token = call.token else { return response }
        if !used.insert(token).inserted {
            world.fail(.logoutTokenTwice, "\(call.name): a logout token is taken that was used before")
        }
        return response
    }

    private func send(_ call: AdminCall, _ numbers: inout SeededNumbers) async -> Response? {
        sent += 1
        let id = "operator-\(sent)"
        let machines = cluster.answering
        guard !machines.isEmpty else { return nil }
        let machine = numbers.pick(machines)
        if call.token.map(used.contains) == true { world.record.count(.check, "a logout token that was used") }
        var fields = [
            (name: "Host", value: "app.example.com"), (name: "X-Request-Id", value: id),
            (name: "X-Forwarded-For", value: "10.2.0.\(1 + numbers.below(3))"),
        ]
        let body: [UInt8]
        if let token = call.token {
            fields.append((name: "Content-Type", value: "application/x-www-form-urlencoded"))
            body = Array("logout_token=\(token)".utf8)
        } else {
            fields.append((name: "Content-Type", value: "application/json"))
            fields.append((name: "Authorization", value: "Bearer \(Definition.operatorToken)"))
            body = call.body.serialized()
        }
        let patience = Duration.seconds(60)
        let request = ServerRequest(
            method: .post, target: call.target, headers: RequestHeaders(fields), deadline: .now + patience,
            body: RequestBody(body))
        world.note("\(id) \(call.name), to m\(machine.number)")
        let answer = await machine.answer(request, id: id, patience: patience, isAdmin: call.token == nil).answer.get()
        world.note("\(id) \(call.name): \(answer.outcome)")
        world.record.mark("\(id) \(answer.outcome)", world.now)
        world.record.count(.answer, "\(call.kind): \(answer.outcome)")
        return answer.response
    }

    /// An act is answered with success, unless something went wrong, or there is nothing to end.
    private func judge(_ response: Response?, _ call: AdminCall) {
        guard let response, response.status >= 300 else { return }
        let recently = world.now - .seconds(150)
        func hasFailed(_ faults: [String]) -> Bool {
            faults.contains { (world.record.lastFaults[$0] ?? .seconds(-1)) >= recently }
        }
        let isAllowed =
            switch response.outcome {
            case "503 store-unavailable", "504": hasFailed(Self.store) || mix.keyChanges
            case "503 provider-unavailable": call.token != nil && hasFailed(BrowserModel.providerFaults)
            case "404 unknown-session": call.kind == "end-one"
            case "404 unknown-instance": mix.wider.changesClients
            case "400 invalid-logout-token": call.token != nil
            case "429 too-many-requests": call.token != nil
            default: false
            }
        if !isAllowed { world.fail(.oddEnd, "\(call.name) is answered with \(response.outcome)") }
    }
}

extension Browser {
    /// Somebody begins to end sign-ins of its users without a cookie.
    fileprivate func beginsRemoteEnd(_ request: Request, _ sent: Sent, _ end: RemoteEnd) -> Exchange {
        expectations.endsElsewhere(mix.keyChanges ? nil : end.users, at: world.now)
        expectations.began(world.now)
        return model.endsRemotely(request, sent, end)
    }

    /// That was answered, or was not.
    fileprivate func endedRemoteEnd(_ answer: Answer, _ exchange: Exchange, _ end: RemoteEnd) {
        model.endedRemotely(answer, exchange)
        expectations.endsElsewhere(mix.keyChanges ? nil : end.users, at: world.now)
        expectations.ended(world.now)
    }
}
