import HTTPCore
import HTTPServer
import JSON
import StorageKit

/// A browser: a jar that its tabs share, what it was given, and what its user has reason to expect.
///
/// Sendable invariant: one thread, as of `World`.
final class Browser: @unchecked Sendable {
    let number: Int
    let world: World
    let mix: Mix
    let cluster: Cluster
    var jar = Jar()
    /// Every cookie that the server gave out for it, oldest first.
    var given: [GivenCookie] = []
    /// When steps were overtaken by a change of cookie: what came of them belongs to the cookie that it brought.
    private(set) var overtaken: [Duration] = []
    /// The pages that it shows, newest last.
    var pages: [(instance: Instance, node: JSONObject)] = []
    /// By which requests the flows were begun whose pages came.
    var flowsBegan: [String: Sent] = [:]
    /// The sessions that were made for flows, by the tags of their cookies.
    var flowSessions: [String: String] = [:]
    /// By which requests flows were ended: one by its id, all of an account by a logout; nil for all accounts.
    var endedFlows: [String: Sent] = [:]
    var endedAccounts: [String?: Sent] = [:]
    /// The answers to pages that it has sent, newest last.
    var sentAnswers: [(instance: Instance, body: JSONObject)] = []
    var expectations = Expectations()
    /// What the reference model knows of it.
    private(set) lazy var model = BrowserModel(self)
    /// What each answer to a step has brought.
    var answered: [String: String] = [:]
    /// When a request was about an instance, or the answer to one came, whoever made it.
    private var used: [Instance: Duration] = [:]
    /// The cookies of another browser of the same people.
    var otherJar = Jar()
    /// When the waits of steps were over, as an answer has told, by flow and step.
    var endedWaits: [String: Duration] = [:]
    /// The flows whose wait somebody has left by its exit.
    var exited: Set<String> = []
    /// How often users have left from flows, by which handles they went on, and by which handles they left.
    var leavings: [String: Int] = [:]
    var arrivals: [String: Set<String>] = [:]
    var spent: Set<String> = []
    /// Who is away: from which flow, and how often anybody had left by then.
    var away: [String: (cookies: [String: String], since: Duration, number: Int)] = [:]
    /// The flows whose users have refused to sign in at another provider.
    var refused: Set<String> = []
    /// Whom a link would sign in, by the flow that asks, and until when it asks.
    var questions: [String: (subject: String, until: Duration)] = [:]
    /// How often each link has signed in.
    var linksTaken: [String: Int] = [:]
    /// A copy of its cookies that somebody else has.
    var stolen: Jar?
    private var requests = 0

    init(_ number: Int, _ world: World, _ mix: Mix, _ cluster: Cluster) {
        self.number = number
        self.world = world
        self.mix = mix
        self.cluster = cluster
    }

    /// Its users, by the account of an instance.
    func users(_ instance: Instance) -> [String] { Definition.users(number, instance) }

    /// Which of its users a subject stands for.
    func user(of subject: String, at instance: Instance) -> String? {
        users(instance).first { instance.isDaVinci ? cluster.subjects[subject] == $0 : subject.contains($0) }
    }

    // MARK: Requests

    /// Sends a request to some machine and waits for what becomes of it.
    func send(_ request: Request, _ numbers: inout SeededNumbers) async -> (Answer, Sent) {
        requests += 1
        // Another tab may send one meanwhile.
        let id = id(of: requests)
        let drawn = Duration.seconds(numbers.pick([60, 60, 60, 30, 20]))
        // Nodes of flows may take minutes, and the server says so.
        let patience = request.instance?.isDaVinci == true && request.answers ? Definition.flowPatience : drawn
        let isLost = !request.isThiefs && world.faults.happens("answer-lost", mix.answerLost)
        let isGone = !request.isThiefs && world.faults.happens("disconnect", mix.disconnect)
        let goesAway = isGone ? numbers.span(upTo: .milliseconds(400)) : nil
        let place = numbers.below(64)
        await world.pass(numbers.span(upTo: .milliseconds(20)))
        var sent = Sent(
            id: id, jar: request.jar ?? jar,
            isForeign: request.isElsewhere || request.isThiefs || request.jar.map { $0 != jar } ?? false,
            isThiefs: request.isThiefs, began: world.now, lastUse: request.instance.flatMap { used[$0] })
        if let instance = request.instance, !request.isThiefs { used[instance] = world.now }
        if request.isElsewhere, request.name == "link" { cluster.ledger.linksElsewhere.insert(sent.id) }
        cluster.ledger.ends.sent(sent.id)
        if request.isHeldBack { cluster.ledger.heldBack.insert(sent.id) }
        if request.answers || request.begins { cluster.ledger.flowRequests.insert(sent.id) }
        if request.isThiefs { cluster.ledger.thefts[sent.id] = { [self, sent] in judgeTheft(of: $0, sent) } }
        if let instance = request.instance { cluster.ledger.flows.asked(sent.id, request, instance) }
        if request.disturbs { expectations.began(world.now) }
        if undoes(sent, request) { expectations.lostTrack() }
        let answer = await exchange(
            request, sent, Manner(patience: patience, isLost: isLost, goesAway: goesAway, place: place))
        await world.pass(request.lag + numbers.span(upTo: .milliseconds(20)))
        sent.ended = world.now
        if request.isThiefs { cluster.ledger.thefts[sent.id] = nil }
        let isUse = !request.isThiefs || answer.response.map { $0.status < 300 } ?? true
        if let instance = request.instance, isUse { used[instance] = world.now }
        if request.disturbs { expectations.ended(world.now) }
        if request.wait > .zero { judgeHeld(request, sent) }
        if mix.isQuick {
            world.record.count(.check, "a request when nothing is slow")
            if sent.ended - sent.began > .seconds(10) + request.wait + request.lag {
                world.fail(.waits, "\(sent.id) \(request.name) is answered after \(sent.ended - sent.began)")
            }
        }
        world.note("b\(number) \(sent.id) \(request.name)\(request.detail): \(answer.text)")
        world.record.mark("\(sent.id) \(request.name) \(answer.outcome)", world.now)
        let kind = request.instance?.isDaVinci == true ? "davinci " : ""
        world.record.count(.answer, "\(kind)\(request.name): \(answer.outcome)")
        hear(answer, request, sent)
        return (answer, sent)
    }

    /// The id of a request, `b0-000007`: long enough for the server to take it over, so that calls to the provider are told
    /// apart by it.
    private func id(of request: Int) -> String {
        let digits = String(request)
        return "b\(number)-" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
    }

    /// How an exchange goes, apart from what the server does.
    private struct Manner {
        let patience: Duration
        let isLost: Bool
        let goesAway: Duration?
        let place: Int
    }

    private func exchange(_ request: Request, _ sent: Sent, _ manner: Manner) async -> Answer {
        let machines = cluster.answering
        guard !machines.isEmpty else { return .nothing }
        let machine = machines[manner.place % machines.count]
        world.note("b\(number) \(sent.id) \(request.name)\(request.detail), \(sent.jar.text), to m\(machine.number)")
        // A cookie that is over changes nothing, but the end of its session for some seconds.
        let isIdle = request.isThiefs && isOver(sent) && request.name != "logout-all"
        let modelled = isIdle ? nil : model.sends(request, sent)
        let (given, task) = machine.answer(asServed(request, sent, manner), id: sent.id, patience: manner.patience)
        let heard = Once<Answer>()
        Task.detached { [self] in
            let answer = await given.get()
            if let response = answer.response {
                cluster.rates?.judge(response, request, sent, machine.process, world)
            }
            gave(answer, request, sent)
            if let modelled { model.answered(answer, modelled) }
            heard.set(answer)
        }
        if let span = manner.goesAway {
            world.after(span) { [self] in
                guard heard.value == nil else { return }
                world.note("b\(number) \(sent.id) FAULT: goes away")
                world.record.count(.fault, "a browser goes away")
                task.cancel()
                heard.set(.nothing)
            }
        }
        let answer = await heard.get()
        if answer.response != nil { judgeStop(of: machine, request, sent) }
        guard manner.isLost, answer.response != nil else { return answer }
        world.note("b\(number) \(sent.id) FAULT: the answer is lost (\(answer.text))")
        world.record.count(.fault, "an answer to a browser is lost")
        return .nothing
    }

    private func asServed(_ request: Request, _ sent: Sent, _ manner: Manner) -> ServerRequest {
        var fields = [
            (name: "Host", value: "app.example.com"), (name: "X-Request-Id", value: sent.id),
            (name: "X-Forwarded-For", value: "10.0.0.\(number + 1)"),
        ]
        if !request.isNavigation {
            fields += [(name: "X-CSRF", value: "1"), (name: "Origin", value: Definition.origin)]
        }
        if let field = sent.jar.field { fields.append((name: "Cookie", value: field)) }
        if let account = request.account { fields.append((name: "X-BFF-Account", value: account)) }
        var body = RequestBody.empty
        if let object = request.body {
            fields.append((name: "Content-Type", value: "application/json"))
            body = RequestBody(object.serialized())
        } else if let form = request.form {
            fields.append((name: "Content-Type", value: "application/x-www-form-urlencoded"))
            body = RequestBody(Array(form.utf8))
        }
        return ServerRequest(
            method: request.method, target: request.target, headers: RequestHeaders(fields),
            deadline: .now + manner.patience, body: body)
    }

    /// Whether a request takes back the last change of the cookie: it goes out with one before it, and no request has come
    /// with the new one yet.
    private func undoes(_ sent: Sent, _ request: Request) -> Bool {
        // For ten seconds nothing but an end of the session does.
        let isEarly = request.isThiefs && request.name != "logout-all" && mix.storeSlow == 0
        if isEarly, let last = given.last, world.now - last.at < .seconds(5) - mix.skew { return false }
        return sent.jar.values.contains { value in
            given.contains { old in
                old.value == value && given.contains { $0.tag == old.tag && $0.at > old.at && $0.seen == nil }
            }
        }
    }

    // MARK: Forgetting

    /// The store has forgotten what was written since an instant: the cookies that were given out since open nothing, and
    /// those before them count again.
    func forget(since instant: Duration) {
        given.removeAll { $0.at > instant }
        for place in given.indices {
            if let replaced = given[place].replaced, replaced > instant { given[place].replaced = nil }
            if let seen = given[place].seen, seen > instant { given[place].seen = nil }
        }
        expectations.forget(since: instant)
        model.forget()
    }

    // MARK: Cookies

    /// The server gave an answer, whether or not it comes.
    private func gave(_ answer: Answer, _ request: Request, _ sent: Sent) {
        guard let response = answer.response else { return }
        if !request.begins { noteSeen(response, sent) }
        judgeTravel(response, request, sent)
        if request.answers, response.problem == "session-changed" { overtaken.append(world.now) }
        for (name, value) in response.cookies where !Jar.isWayBack(name) {
            guard let value else { continue }
            let isSignedIn = response.json?["signedIn"]?.bool == true
            if let known = given.first(where: { $0.value == value }) {
                judgeRepeated(known, sent)
                continue
            }
            let cookie = GivenCookie(name, value, isSignedIn: isSignedIn, by: sent.id, at: world.now)
            judgeNew(cookie, sent)
            // A cookie that brings a new one acts: that it was replaced before has been undone.
            for place in given.indices where given[place].tag == cookie.tag {
                guard given[place].replaced == nil || sent.jar.contains(given[place].value) else { continue }
                given[place].replaced = world.now
            }
            given.append(cookie)
        }
    }

    /// An answer that only a cookie that opens a session can bring makes that cookie final.
    private func noteSeen(_ response: Response, _ sent: Sent) {
        guard response.status == 200, response.subject != nil || response.json?["flow"] != nil else { return }
        // Of two cookies nobody can tell which one was taken.
        guard sent.jar.values.count == 1 else { return }
        for place in given.indices where given[place].seen == nil && sent.jar.contains(given[place].value) {
            given[place].seen = world.now
        }
    }

    /// An answer has come, or did not: the jar follows, and the rules look at it.
    private func hear(_ answer: Answer, _ request: Request, _ sent: Sent) {
        guard let response = answer.response else {
            if request.disturbs, !sent.isForeign { expectations.lostTrack() }
            return
        }
        judge(response, request, sent)
        if sent.isThiefs { judgeTheft(response, request, sent) }
        // What was sent with other cookies is no tab of this browser.
        guard !sent.isForeign else { return }
        // The change may have been stored all the same.
        if request.disturbs, response.status >= 500 { expectations.lostTrack() }
        for (name, value) in response.cookies {
            if !Jar.isWayBack(name) { judgeChange(name, value, response, request, sent) }
            jar.set(name, value)
        }
    }
}
