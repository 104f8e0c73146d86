import BFF
import JSON

/// Whether a reason for an answer is there.
extension BrowserModel {
    static let storeFaults = [
        "the store fails before the effect", "the store fails after the effect", "the store is slow",
        "the store is away", "the store is full",
        "the store does it later than it says", "the store goes away right after a commit", "the store fails over",
        "a machine crashes",
    ]
    static let providerFaults = [
        "the provider is not reached", "the provider has too much to do", "the provider is not available",
        "the provider fails", "an answer of the provider is lost", "the provider hangs before it acts",
        "the provider acts and hangs", "a machine crashes", "a browser goes away",
    ]

    /// A request under way at the fault may hold up others until its deadline.
    private static let reach = Duration.seconds(150)

    func holds(_ reason: Reason, for exchange: Exchange) -> Bool {
        let recently = exchange.sent.began - Self.reach
        switch reason {
        case .always: return true
        case .store:
            return hasFailed(Self.storeFaults, since: recently)
                || hasFailed(["a machine gets another key"], since: .zero)
        case .provider: return hasFailed(Self.providerFaults + Self.storeFaults, since: recently)
        case .rate: return mix.wider.limitsRates
        case .clients: return mix.wider.changesClients
        case .invalidStepUp:
            let reasons: [Reason] = [.api, .provider, .replaced]
            return mix.wider.raisesWithoutRefresh
                && (reasons.contains { holds($0, for: exchange) } || mayBeOverThere(exchange))
        case .api:
            let users = exchange.instance.map(browser.users) ?? []
            return hasFailed(["the API calls a good token invalid"], since: exchange.sent.began)
                || users.contains { browser.cluster.ledger.endedByProvider.contains($0) }
        case .endedThere:
            let users = exchange.instance.map(browser.users) ?? []
            return users.contains { browser.cluster.ledger.endedByProvider.contains($0) }
        case .stepUpEndedThere:
            return exchange.instance?.isElevated == true && holds(.endedThere, for: exchange)
        case .endedElsewhere: return mayBeEndedElsewhere(exchange)
        case .left: return hasFailed(["a browser goes away"], since: exchange.sent.began)
        case .replaced: return mayBeReplaced(exchange)
        case .signedOut: return mayBeSignedOut(exchange)
        case .weak: return mayBeWeak(exchange)
        case .stepsUp: return exchange.instance?.isElevated == true
        case .goalOver: return mayHaveLostGoal(exchange)
        case .otherUser: return mayBeAnother(exchange)
        case .over: return mayBeOver(exchange)
        case .past: return mayBePast(exchange)
        case .busy: return mayBeBusy(exchange)
        case .overtaken: return mayBeOvertaken(exchange)
        case .endedMeanwhile: return isEndedMeanwhile(exchange)
        case .old:
            return world.now - (flow(exchange)?.start.sent.began ?? .zero) > .seconds(290)
        case .wrong: return exchange.isWrong || exchange.name == "flow"
        case .waits, .notLeft: return mayBeDecidedElsewhere(exchange)
        case .raised: return exchange.instance?.isElevated == true || exchange.instance?.isDaVinci == true
        case .silent: return exchange.request.body?["prompt"]?.string == "none"
        case .foreignLinks: return flow(exchange)?.way == "ForeignLinks"
        }
    }

    private func flow(_ exchange: Exchange) -> FlowModel? { exchange.flow.flatMap { flows[$0] } }

    /// Whether another cookie may have taken the place of the one that it came with.
    private func mayBeReplaced(_ exchange: Exchange) -> Bool {
        isUnsure(exchange)
            || exchanges.contains { other in
                other !== exchange && other.changes && other.touches(exchange) && other.overlaps(exchange)
            }
    }

    /// Whether its session was signed out while it was under way: a provider session that ends in between gives no code.
    private func isEndedMeanwhile(_ exchange: Exchange) -> Bool {
        exchanges.contains { other in
            other !== exchange && other.ends && other.touches(exchange) && other.overlaps(exchange)
        }
    }

    // MARK: Who is signed in

    private func mayBeSignedOut(_ exchange: Exchange) -> Bool {
        guard let instance = exchange.instance, let tag = exchange.tags.first, let known = sessions[tag],
            !isUnsure(exchange), isQuiet(exchange), !mix.wider.changesClients
        else { return true }
        return known.facts(instance).contains(.out) || mayBeOver(instance, known)
    }

    /// Whether a mark may refuse a sign-in: of one that was begun before an end of its user, or that the provider's session
    /// has brought.
    private func mayBeEndedElsewhere(_ exchange: Exchange) -> Bool {
        guard let instance = exchange.instance else { return false }
        let begun = flow(exchange)?.start.sent.began ?? exchange.sent.began
        return exchanges.contains { other in
            guard let end = other.ending, !end.users.isDisjoint(with: browser.users(instance)) else { return false }
            // A session of the provider stays ended, and an end that was not done may have left its mark.
            if end.session != nil || other.isUnsure || flow(exchange) == nil { return true }
            return begun <= other.last + mix.skew + .seconds(2)
        }
    }

    /// Whether the time of a sign-in may be over, or the provider have ended it.
    func mayBeOver(_ instance: Instance, _ known: SignIns) -> Bool {
        let limits = browser.cluster.definition.sessions
        let (now, slack) = (world.now, Definition.storing + mix.skew * 2)
        if now - known.lastUse > limits.idle - .seconds(120) - mix.skew { return true }
        if instance.isElevated, now - (known.since[instance] ?? .zero) > Definition.elevatedLimit - slack {
            return true
        }
        if instance.client == "kiosk", now - lastUse(of: instance) > Definition.kioskIdle - .seconds(60) - slack {
            return true
        }
        return browser.users(instance).contains { browser.cluster.ledger.hasLostTokens(of: $0, at: instance.client) }
    }

    /// When a use of an instance was answered last.
    private func lastUse(of instance: Instance) -> Duration {
        // A look at a flow is no use of what is signed in, and a thief looks at flows of his own.
        exchanges.filter { $0.instance == instance && $0.request.name != "flow" }
            .filter { $0.isSuccess || !$0.signsIn && $0.response?.status == 200 }
            .compactMap(\.ended).max() ?? .zero
    }

    private func mayBeWeak(_ exchange: Exchange) -> Bool {
        let path = exchange.request.target.split(separator: "/").last?.prefix { $0 != "?" } ?? ""
        guard let instance = exchange.instance, path != "payments" else { return true }
        guard ["transactions", "orders"].contains(path) else { return false }
        let elevated = elevated(beside: instance)
        guard let tag = exchange.tags.first, let known = sessions[tag], !isUnsure(exchange) else { return true }
        return known.facts(elevated).contains(.out) || mayBeOver(elevated, known)
    }

    /// True if the token of a step-up may be over at the API and, by the clock of a machine, not yet.
    private func mayBeOverThere(_ exchange: Exchange) -> Bool {
        guard let instance = exchange.instance, let tag = exchange.tags.first,
            let since = sessions[tag]?.since[elevated(beside: instance)]
        else { return false }
        return world.now - since > Definition.tokenLife - mix.skew - .seconds(1)
    }

    private func elevated(beside instance: Instance) -> Instance {
        Instance(instance.isDaVinci ? "approver" : "transaction", instance.account)
    }

    /// Whether the challenge that a start names was told in another session, minutes ago, or for a call before that of
    /// another tab, or for another user.
    private func mayHaveLostGoal(_ exchange: Exchange) -> Bool {
        guard let goal = exchange.request.body?["for"]?.string, goal.hasPrefix("c_") else { return false }
        let telling = exchanges.last { told in
            told.response?.json?["stepUp"]?["for"]?.string == goal && told.tags == exchange.tags
                && world.now - told.last < .seconds(300) - mix.skew
        }
        guard let telling, !isUnsure(exchange), !exchanges.contains(where: \.isRemote) else { return true }
        return exchanges.contains { other in
            other !== telling && other !== exchange && other.tags == exchange.tags
                && (other.request.name == "api" || other.signsIn) && other.last >= telling.sent.began
        }
    }

    private func mayBeAnother(_ exchange: Exchange) -> Bool {
        guard let instance = exchange.instance, !isUnsure(exchange), let tag = exchange.tags.first,
            let known = sessions[tag]
        else { return true }
        if let id = exchange.flow, otherUsers.contains(id) { return true }
        let expected = exchange.typed(among: browser.users(instance)) ?? flow(exchange)?.user
        let facts = SignIns.sharing(instance).reduce(into: known.provider(instance)) { $0.formUnion(known.facts($1)) }
        return facts.contains { fact in
            guard case .user(let user) = fact else { return false }
            return user != expected
        }
    }

    // MARK: Flows

    private func others(_ exchange: Exchange) -> [Exchange] {
        exchanges.filter { $0 !== exchange && $0.flow == exchange.flow && $0.flow != nil }
    }

    /// Whether something ended the flow, or may have, or its time.
    private func mayBeOver(_ exchange: Exchange) -> Bool {
        guard let flow = flow(exchange), !mix.wider.changesClients else { return true }
        if isUnsure(exchange) || flow.overSince != nil || flow.instance != exchange.instance { return true }
        if let tag = flow.tag, !exchange.tags.contains(tag) { return true }
        if world.now - flow.start.sent.began > browser.cluster.definition.sessions.flow - mix.skew - .seconds(30) {
            return true
        }
        let tags = exchange.tags
        let mayEnd = exchanges.contains { other in
            guard other !== exchange, other.last >= flow.start.sent.began else { return false }
            if other.name == "cancel" || other.request.answers, other.flow == flow.id {
                return other.name == "cancel" || other.overlaps(exchange) || other.isUnsure
                    || other.response?.problem == "session-changed"
            }
            let isLink = other.name == "link" && flow.way == "EmailLink"
            return other.isRemote || (other.ends || isLink) && !other.tags.isDisjoint(with: tags)
        }
        return mayEnd || isPushedOut(flow) || isForFormerUser(flow)
    }

    /// True if it is a step-up, and since it began a sign-in may have been of another user than the one who began it.
    private func isForFormerUser(_ flow: FlowModel) -> Bool {
        guard flow.start.request.body?["for"] != nil else { return false }
        let former = flow.start.before.values.reduce(into: Set<SignIns.Fact>()) { facts, known in
            for instance in SignIns.sharing(flow.instance) { facts.formUnion(known.facts(instance)) }
        }
        return exchanges.contains { other in
            guard other.mayHaveSignedIn, other.last >= flow.start.sent.began, let instance = other.instance,
                SignIns.sharing(flow.instance).contains(instance), !other.tags.isDisjoint(with: flow.start.tags),
                other.flow != flow.id, other !== flow.start, !other.request.isThiefs
            else { return false }
            let user = other.user(browser) ?? other.typed(among: browser.users(instance)) ?? self.flow(other)?.user
            return user.map { former.subtracting([.out]) != [.user($0)] } ?? true
        }
    }

    /// Whether another flow of the session may have signed in since this one began.
    private func mayBeOvertaken(_ exchange: Exchange) -> Bool {
        let began = flow(exchange)?.start.sent.began ?? exchange.sent.began
        return exchanges.contains { other in
            other !== exchange && other.mayHaveSignedIn && other.flow != exchange.flow
                && !other.tags.isDisjoint(with: exchange.tags) && (other.ended ?? world.now) >= began
        }
    }

    /// Whether so many flows were begun since that the oldest ones go.
    private func isPushedOut(_ flow: FlowModel) -> Bool {
        let since = exchanges.filter {
            $0.request.begins && $0.instance == flow.instance && $0.sent.ended >= .zero
                && ($0.ended ?? world.now) >= flow.start.sent.began && $0 !== flow.start
        }
        return since.count >= browser.cluster.definition.sessions.flowsPerInstance
    }

    /// Whether another answer may have been sent for the step, or the same one long ago.
    private func mayBePast(_ exchange: Exchange) -> Bool {
        guard let flow = flow(exchange), let asked = exchange.step else { return true }
        return others(exchange).contains { other in
            guard other.request.answers else { return false }
            let isLater = (other.step ?? asked) >= asked
            let isOther = other.words != exchange.words || flow.isPoll(other)
            return isLater && (isOther || world.now - other.sent.began > .seconds(50) - mix.skew)
        }
    }

    /// Whether something may be on its way to the provider for the flow.
    private func mayBeBusy(_ exchange: Exchange) -> Bool {
        others(exchange).contains { $0.request.answers && ($0.overlaps(exchange) || $0.isUnsure) }
            || hasFailed(Self.storeFaults + Self.providerFaults, since: exchange.sent.began)
    }

    /// Whether what becomes of a flow is decided elsewhere: by a device, another site, or a link.
    private func mayBeDecidedElsewhere(_ exchange: Exchange) -> Bool {
        guard let flow = flow(exchange) else { return true }
        return !flow.isPlain
    }
}
