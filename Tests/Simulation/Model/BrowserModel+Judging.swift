import BFF
import JSON

/// Every answer is held against what the model allows.
extension BrowserModel {
    func judge(_ response: Response, _ exchange: Exchange) {
        // What a thief may get is a rule of its own.
        guard !exchange.request.isThiefs else { return }
        world.record.count(.check, "an answer that the model judges")
        judgeOutcome(exchange)
        guard let outcome = exchange.outcome else { return }
        if let subject = exchange.user(browser) { judgeUser(subject, outcome, exchange) }
        if exchange.name == "session" { judgeOverview(response, exchange) }
        judgeCookies(response, exchange)
        judgeFlow(response, exchange)
        judgeHeld(response, exchange)
        judgeRenewed(response, exchange)
    }

    private func fail(_ rule: Rule, _ exchange: Exchange, _ what: String) {
        let about = exchange.instance.map { " \($0)" } ?? ""
        world.fail(rule, "\(exchange.sent.id) \(exchange.name)\(about): \(what)")
    }

    // MARK: The answer itself

    private func judgeOutcome(_ exchange: Exchange) {
        guard let outcome = exchange.outcome else { return }
        guard let reasons = Allowed.reasons(exchange.name, outcome) else {
            return fail(.oddAnswer, exchange, "\(outcome), which nothing brings about")
        }
        guard !reasons.contains(where: { holds($0, for: exchange) }) else { return }
        let missing = reasons.map { "\($0)" }.joined(separator: ", ")
        fail(.oddAnswer, exchange, "\(outcome), and none of its reasons is there: \(missing)")
    }

    // MARK: Who is signed in

    /// Who is told to be signed in may be so, and nobody else.
    private func judgeUser(_ user: String, _ outcome: String, _ exchange: Exchange) {
        guard let instance = exchange.instance, !isUnsure(exchange), let tag = exchange.tags.first else { return }
        if exchange.signsIn { return judgeSignIn(user, instance, tag, exchange) }
        let owner =
            exchange.name == "api"
            ? Instance(exchange.response?.json?["client"]?.string ?? "", instance.account) : instance
        let facts = seen(owner, tag, exchange)
        world.record.count(.check, "a user whom the model knows")
        guard !facts.contains(.user(user)) else { return }
        fail(.oddUser, exchange, "\(outcome) for \(user), and \(owner) is \(facts)")
    }

    /// What was possible of an instance at any time while a request was under way; all where something came and went in between.
    private func seen(_ instance: Instance, _ tag: String, _ exchange: Exchange) -> Set<SignIns.Fact> {
        var facts = (sessions[tag] ?? SignIns()).facts(instance)
        guard !isQuiet(exchange) else { return facts }
        facts.formUnion(exchange.before[tag]?.facts(instance) ?? [])
        let isInside = exchanges.contains {
            $0 !== exchange && $0.changes && ($0.isRemote || $0.tags.contains(tag))
                && $0.sent.began >= exchange.sent.began
        }
        if isInside { facts.formUnion(browser.users(instance).map { .user($0) } + [.out]) }
        return facts
    }

    /// A sign-in is of the user whose name was typed, and takes nobody's place unasked.
    private func judgeSignIn(_ user: String, _ instance: Instance, _ tag: String, _ exchange: Exchange) {
        guard let id = exchange.flow, let flow = flows[id], exchange.isSuccess else { return }
        world.record.count(.check, "a sign-in whose user the model knows")
        // Who comes back from another provider is who signed in there, whatever was typed into the page before.
        let isElsewhere = exchange.request.body?["handle"] != nil
        let expected = isElsewhere ? nil : exchange.typed(among: browser.users(instance)) ?? flow.user
        if let expected, expected != user, flow.users.count <= 1 {
            fail(.oddUser, exchange, "signs in \(user), and \(expected) was typed")
        }
        guard isQuiet(exchange), !flow.replaces, let before = exchange.before[tag] else { return }
        let facts = before.facts(instance)
        guard facts.count == 1, case .user(let other)? = facts.first, other != user else { return }
        guard !mayBeOver(instance, before) else { return }
        fail(.oddUser, exchange, "signs in \(user) in the place of \(other), without being asked to")
    }

    /// What `session` tells of each instance may be so.
    private func judgeOverview(_ response: Response, _ exchange: Exchange) {
        guard !isUnsure(exchange), let tag = exchange.tags.first, let known = sessions[tag] else { return }
        for document in response.json?["instances"]?.array ?? [] {
            guard let client = document["client"]?.string else { continue }
            let instance = Instance(client, document["account"]?.string ?? "")
            world.record.count(.check, "an instance of an overview")
            let facts = seen(instance, tag, exchange)
            guard let subject = document["subject"]?.string else {
                if !facts.contains(.out), !mayBeOver(instance, known) {
                    fail(.oddUser, exchange, "\(instance) is shown as signed out, and is \(facts)")
                }
                continue
            }
            guard let user = browser.user(of: subject, at: instance), facts.contains(.user(user)) else {
                fail(.oddUser, exchange, "\(instance) is shown as \(subject), and is \(facts)")
                continue
            }
        }
    }

    // MARK: Cookies

    /// A cookie is begun by a start and replaced by a sign-in, and goes with a logout.
    private func judgeCookies(_ response: Response, _ exchange: Exchange) {
        let cookies = response.cookies.filter { !Jar.isWayBack($0.name) }
        world.record.count(.check, "an answer that is searched for cookies")
        for (name, value) in cookies {
            let isStart = name.hasSuffix("-start")
            switch (value, isStart) {
            case (_?, true):
                if !exchange.request.begins {
                    fail(.oddCookie, exchange, "begins a session with \(exchange.outcome ?? "")")
                }
            case (_?, false):
                if !exchange.isSuccess, !exchange.request.begins {
                    fail(.oddCookie, exchange, "brings a cookie with \(exchange.outcome ?? "")")
                }
            case (nil, true):
                if !exchange.isSuccess, !exchange.ends {
                    fail(.oddCookie, exchange, "takes a cookie away with \(exchange.outcome ?? "")")
                }
            case (nil, false):
                if !exchange.ends || response.status >= 300 {
                    fail(.oddCookie, exchange, "takes the cookie away with \(exchange.outcome ?? "")")
                }
            }
        }
        judgeBegun(cookies, exchange)
        guard exchange.isSuccess, exchange.request.answers, let value = cookies.compactMap(\.value).first else {
            return
        }
        if !exchange.tags.contains(GivenCookie.tag(of: value)) {
            fail(.oddCookie, exchange, "signs in to another session than its own")
        }
    }

    /// A flow that begins in a session in which somebody is signed in stays there.
    private func judgeBegun(_ cookies: [(name: String, value: String?)], _ exchange: Exchange) {
        guard exchange.name == "start", exchange.outcome == "continue", isQuiet(exchange), !isUnsure(exchange),
            let tag = exchange.tags.first, let known = sessions[tag],
            browser.given.contains(where: { $0.tag == tag && $0.isSignedIn }),
            !instances.allSatisfy({ known.facts($0).contains(.out) }),
            world.now - known.lastUse < browser.cluster.definition.sessions.idle - .seconds(120) - mix.skew
        else { return }
        world.record.count(.check, "a start in a session")
        if let cookie = cookies.first(where: { $0.value != nil }) {
            fail(.oddCookie, exchange, "brings \(cookie.name), and its session lives")
        }
    }

    // MARK: Flows

    /// A flow goes forward, with one answer for each step, and ends once.
    private func judgeFlow(_ response: Response, _ exchange: Exchange) {
        guard let id = exchange.flow, let flow = flows[id] else { return }
        judgeAlive(flow, exchange)
        judgeArrival(response, flow, exchange)
        judgeRefused(response, flow, exchange)
        if let asked = exchange.instance, asked != flow.instance {
            world.record.count(.check, "a flow that another instance asks for")
            guard response.status != 200 else {
                return fail(.oddStep, exchange, "\(exchange.outcome ?? "") of \(id), which is of \(flow.instance)")
            }
        }
        guard response.status == 200 else { return }
        if let shown = response.json?["step"]?.int { judgeStep(shown, flow, exchange) }
        judgeBody(flow, exchange)
        guard exchange.isWrong, exchange.isSuccess else { return }
        fail(.oddUser, exchange, "signs in with a wrong answer")
    }

    private func judgeStep(_ shown: Int64, _ flow: FlowModel, _ exchange: Exchange) {
        world.record.count(.check, "a step of a flow")
        if let asked = exchange.step, exchange.name == "next", shown <= asked, !flow.isPoll(exchange) {
            fail(.oddStep, exchange, "step \(asked) leads to step \(shown)")
        }
        let known =
            exchanges.filter { $0.flow == flow.id && $0.ended ?? world.now < exchange.sent.began }
            .compactMap { $0.response?.status == 200 ? $0.response?.json?["step"]?.int : nil }.max() ?? 1
        // The same answer again gets what it got.
        let isAgain = exchange.step.map { $0 < known } ?? false
        if shown < known, !isAgain { fail(.oddStep, exchange, "shows step \(shown) after step \(known)") }
    }

    /// One body gets the answer to a step, and every other one does not.
    private func judgeBody(_ flow: FlowModel, _ exchange: Exchange) {
        guard exchange.name == "next", let asked = exchange.step, !flow.isPoll(exchange) else { return }
        guard let taken = flow.taken[asked] else { return }
        world.record.count(.check, "a second answer to a step")
        if taken != exchange.words {
            fail(
                .twoAnswers, exchange,
                "gets \(exchange.outcome ?? "") for step \(asked), which was answered with \(taken)")
        }
    }

    /// Who comes back goes on with one handle, whatever the provider says to it.
    private func judgeArrival(_ response: Response, _ flow: FlowModel, _ exchange: Exchange) {
        guard exchange.name == "resume", response.status == 200 || response.problem == "provider-unavailable" else {
            return
        }
        let other = exchanges.first {
            $0 !== exchange && $0.name == "resume" && $0.flow == flow.id && $0.words != exchange.words
                && ($0.response?.status == 200 || $0.response?.problem == "provider-unavailable")
        }
        world.record.count(.check, "a handle that a flow goes on with")
        guard let other, browser.leavings[flow.id] == 1 else { return }
        fail(.twoAnswers, exchange, "goes on with another handle than \(other.sent.id)")
    }

    /// Who comes back with an error has the page that was left, as nothing is sent.
    private func judgeRefused(_ response: Response, _ flow: FlowModel, _ exchange: Exchange) {
        guard exchange.name == "resume", flow.instance.isDaVinci, browser.refused.contains(flow.id) else { return }
        guard response.status == 200 else { return judgeWaitedFor(response, flow, exchange) }
        world.record.count(.check, "a return with an error")
        guard exchange.outcome != "error", !holds(.store, for: exchange), !holds(.provider, for: exchange) else {
            return
        }
        fail(.oddStep, exchange, "\(exchange.outcome ?? "") for a return with an error")
    }

    /// Who comes back with an error, and has done nothing else in the flow, is waited for.
    private func judgeWaitedFor(_ response: Response, _ flow: FlowModel, _ exchange: Exchange) {
        guard response.problem == "no-pending-return", mix.isQuick, isQuiet(exchange), !isUnsure(exchange),
            exchange.tags.first == flow.tag, !mix.wider.changesClients, mix.reloads == 0, flow.overSince == nil,
            world.now - flow.start.sent.began < .seconds(60) - mix.skew,
            !exchanges.contains(where: { other in
                let isOwn = other.flow == flow.id && (other.request.answers || other.name == "cancel")
                let isEnd = other.ends && other.touches(exchange)
                return other !== exchange && (isOwn || isEnd && other.last >= flow.start.sent.began)
            }), exchange.sent.jar == browser.jar, browser.leavings[flow.id] == 1
        else { return }
        fail(.oddStep, exchange, "409 no-pending-return for a return with an error")
    }

    /// A flow that was cancelled shows nothing and goes nowhere.
    private func judgeAlive(_ flow: FlowModel, _ exchange: Exchange) {
        let ends = exchanges.filter { end in
            guard let ended = end.ended, ended < exchange.sent.began, end.outcome == "204", !isReplaced(end) else {
                return false
            }
            return end.name == "cancel" && end.flow == flow.id && end.tags == exchange.tags
        }
        guard let end = ends.first else { return }
        world.record.count(.check, "a flow that was cancelled")
        if exchange.response?.status == 200 {
            fail(.oddStep, exchange, "\(exchange.outcome ?? "") of \(flow.id), which \(end.sent.id) has cancelled")
        }
    }

    // MARK: Waiting

    /// A poll that wants to wait, and waits at the same page, is held for its time.
    private func judgeHeld(_ response: Response, _ exchange: Exchange) {
        guard exchange.name == "poll", exchange.request.wait > .zero, exchange.outcome == "continue", mix.isQuick,
            let id = exchange.flow, response.json?["step"]?.int == exchange.step, let ended = exchange.ended
        else { return }
        // A page that shows something else is no longer the one that was to be waited at.
        guard let node = response.json?.object, flows[id]?.shown[exchange.step ?? 0] == [FlowModel.page(node)] else {
            return
        }
        let others = exchanges.filter {
            $0 !== exchange && ($0.name == "poll" || $0.flow == id) && $0.sent.began <= ended
                && $0.ended ?? ended >= exchange.sent.began
        }
        guard others.isEmpty, mix.reloads == 0, mix.wider.drains == 0, !mix.wider.changesClients else { return }
        world.record.count(.check, "a poll that is to be held")
        let span = ended - exchange.sent.began
        if span < min(exchange.request.wait, .seconds(15)) - .seconds(1) {
            fail(.pollNotHeld, exchange, "wants to be held for \(exchange.request.wait) and is answered after \(span)")
        }
    }

    // MARK: Tokens

    /// Tokens that a user had renewed are new, however good the old ones were.
    private func judgeRenewed(_ response: Response, _ exchange: Exchange) {
        guard exchange.name == "refresh", response.status == 200, exchange.instance?.isElevated != true,
            let left = response.json?["token"]?["expiresIn"]?.int
        else { return }
        world.record.count(.check, "tokens that were renewed")
        let began = exchanges.filter { $0.overlaps(exchange) }.map(\.sent.began).min() ?? exchange.sent.began
        let age = Definition.tokenLife - .seconds(left)
        let most = world.now - began + .seconds(2) + mix.skew * 2
        if age > most { fail(.hollowRefresh, exchange, "is done, and the token is \(age) old") }
    }
}
