import JSON

/// The reference model of what one browser may be answered: every answer of a world is judged by it.
///
/// Sequential: a request that no other one overlaps, and with whose answer nothing went wrong, has one effect, and what it
/// leaves is known. Requests that overlap, or were never answered, leave what either order leaves. The model knows the
/// documents, and nothing of what is in the store.
///
/// Sendable invariant: one thread, as of `World`.
final class BrowserModel: @unchecked Sendable {
    unowned let browser: Browser
    private(set) var exchanges: [Exchange] = []
    private(set) var sessions: [String: SignIns] = [:]
    private(set) var flows: [String: FlowModel] = [:]
    /// The flows that were said to be of another user.
    private(set) var otherUsers: Set<String> = []

    init(_ browser: Browser) {
        self.browser = browser
    }

    var world: World { browser.world }
    var mix: Mix { browser.mix }

    // MARK: What happens

    /// A request goes out: what it may bring about is possible from now on.
    func sends(_ request: Request, _ sent: Sent) -> Exchange {
        let exchange = Exchange(request, sent)
        exchanges.append(exchange)
        for tag in exchange.tags {
            guard var known = sessions[tag] else { continue }
            exchange.before[tag] = known
            widen(&known, for: exchange)
            sessions[tag] = known
        }
        return exchange
    }

    /// An answer has left the server, whether or not it comes.
    func answered(_ answer: Answer, _ exchange: Exchange) {
        exchange.end(answer, at: world.now)
        guard let response = exchange.response else {
            for tag in exchange.tags where exchange.changes { sessions[tag]?.isUnsure = true }
            return
        }
        judge(response, exchange)
        note(response, exchange)
    }

    /// The store has forgotten what was written last: nothing is known of any session any more.
    func forget() {
        for tag in sessions.keys { sessions[tag]?.isUnsure = true }
    }

    /// Somebody begins to end sign-ins without a cookie.
    func endsRemotely(_ request: Request, _ sent: Sent, _ end: RemoteEnd) -> Exchange {
        let exchange = Exchange(request, sent, ending: end)
        exchanges.append(exchange)
        for (tag, known) in sessions {
            var known = known
            exchange.before[tag] = known
            for instance in instances where known.mayBe(end.users, at: instance) { loosen(&known, instance) }
            sessions[tag] = known
        }
        return exchange
    }

    /// That was answered, or was not.
    func endedRemotely(_ answer: Answer, _ exchange: Exchange) {
        exchange.end(answer, at: world.now)
        guard let end = exchange.ending, let until = end.until, end.session == nil, isQuiet(exchange),
            answer.response.map({ $0.status < 300 }) ?? false
        else { return }
        for (tag, before) in exchange.before {
            guard var known = sessions[tag] else { continue }
            for instance in instances where before.mayBe(end.users, at: instance) {
                // A sign-in that was stored a moment before may be of a user who authenticated after the instant.
                let isOld = SignIns.sharing(instance).allSatisfy { (before.since[$0] ?? .zero) + .seconds(2) < until }
                guard isOld else { continue }
                known.end(end.users, at: instance)
            }
            sessions[tag] = known
        }
    }

    private func widen(_ known: inout SignIns, for exchange: Exchange) {
        // A cookie that was replaced may take the change back, with all that it brought.
        if isReplaced(exchange) || known.isUnsure { return makeUnknown(&known) }
        guard let instance = exchange.instance else {
            if exchange.ends { for other in instances { loosen(&known, other) } }
            return
        }
        if exchange.signsIn {
            known.add(facts(of: instance), to: instance)
            known.addProvider(facts(of: instance), to: instance)
            for other in SignIns.sharing(instance) where other != instance { known.add([.out], to: other) }
        } else if exchange.ends {
            for other in SignIns.sharing(instance) { loosen(&known, other) }
        } else if !instance.hasLimits {
            // Whose session there is at the provider may be signed in without a page.
            let users = known.provider(instance).filter { $0 != .out }
            exchange.isSilent = !users.isSubset(of: known.facts(instance))
            known.add(users, to: instance)
        }
    }

    private func loosen(_ known: inout SignIns, _ instance: Instance) {
        known.add([.out], to: instance)
        known.addProvider([.out], to: instance)
    }

    private func makeUnknown(_ known: inout SignIns) {
        for instance in instances {
            known.add(facts(of: instance) + [.out], to: instance)
            known.addProvider(facts(of: instance) + [.out], to: instance)
        }
    }

    private func facts(of instance: Instance) -> [SignIns.Fact] { browser.users(instance).map { .user($0) } }

    /// All that the browser may be signed in to.
    var instances: [Instance] {
        ["", "alice"].flatMap { account in Definition.names(mix).map { Instance($0, account) } }
    }

    // MARK: What is known then

    private func note(_ response: Response, _ exchange: Exchange) {
        noteFlow(response, exchange)
        for (name, value) in response.cookies where !Jar.isWayBack(name) {
            guard let value else { continue }
            let tag = GivenCookie.tag(of: value)
            if sessions[tag] == nil { sessions[tag] = SignIns() }
        }
        if response.status < 300, let user = exchange.user(browser), let instance = exchange.instance {
            let given = response.cookies.compactMap(\.value).map(GivenCookie.tag)
            for tag in exchange.tags.union(given) { noteUser(user, at: instance, tag, exchange) }
        }
        for tag in exchange.tags {
            guard exchange.changes, exchange.isUnsure else { continue }
            sessions[tag]?.isUnsure = true
        }
        noteQuiet(response, exchange)
        if response.status < 300, exchange.request.isUse {
            for tag in exchange.tags { sessions[tag]?.lastUse = world.now }
        }
    }

    private func noteUser(_ user: String, at instance: Instance, _ tag: String, _ exchange: Exchange) {
        sessions[tag]?.add([.user(user)], to: instance)
        sessions[tag]?.addProvider([.user(user)], to: instance)
        if exchange.signsIn { sessions[tag]?.note(instance, since: exchange.sent.began) }
    }

    /// What an answer leaves that nothing overlapped.
    private func noteQuiet(_ response: Response, _ exchange: Exchange) {
        let tags =
            exchange.isSuccess
            ? exchange.tags.union(response.cookies.compactMap(\.value).map(GivenCookie.tag)) : exchange.tags
        guard tags.count == 1, let tag = tags.first, isQuiet(exchange), !isReplaced(exchange), !exchange.isUnsure,
            let known = sessions[tag], !known.isUnsure
        else { return }
        sessions[tag] = after(response, exchange, exchange.before[tag] ?? SignIns(), known)
    }

    private func after(_ response: Response, _ exchange: Exchange, _ before: SignIns, _ known: SignIns) -> SignIns {
        var known = known
        guard let instance = exchange.instance else {
            guard exchange.ends, response.status == 204 else { return known }
            let account = exchange.request.target.split(separator: "=").dropFirst().first.map(String.init)
            for other in instances where account == nil || other.account == account { signOut(&known, other) }
            return known
        }
        if exchange.isSuccess, let user = exchange.user(browser) {
            var after = before
            after.signedIn(instance, user, since: exchange.sent.began)
            return after
        }
        if exchange.signsIn, ["continue", "error"].contains(exchange.outcome) || response.status >= 400 {
            return before
        }
        switch (exchange.name, response.status) {
        case ("user", 200), ("refresh", 200):
            if let user = exchange.user(browser) { known.tell([.user(user)], of: instance) }
        case ("user", 401), ("refresh", 401): known.tell([.out], of: instance)
        case ("revoke", 200..<300): known.tell([.out], of: instance)
        case ("logout", 204):
            let isShared = exchange.request.body?["session"]?.bool == true
            guard !instance.isElevated || isShared else {
                known.tell([.out], of: instance)
                break
            }
            for other in SignIns.sharing(instance) { signOut(&known, other) }
        default: break
        }
        return known
    }

    private func signOut(_ known: inout SignIns, _ instance: Instance) {
        known.tell([.out], of: instance)
        known.tellProvider([.out], of: instance)
    }

    private func noteFlow(_ response: Response, _ exchange: Exchange) {
        guard let instance = exchange.instance else { return }
        let node = response.status == 200 ? response.json?.object : nil
        if exchange.request.begins, let node, let id = node["flow"]?.string {
            let tag = response.cookies.compactMap(\.value).last.map(GivenCookie.tag) ?? exchange.tags.sorted().first
            flows[id] = flows[id] ?? FlowModel(id, instance, exchange, tag: tag)
            flows[id]?.told(node, exchange, browser.users(instance))
        } else if let id = exchange.flow {
            if let node { flows[id]?.told(node, exchange, browser.users(instance)) }
            if response.problem == "subject-changed" {
                otherUsers.insert(id)
                flows[id]?.ended(exchange)
            }
        }
        if let id = response.json?["confirm"]?["flow"]?.string { otherUsers.insert(id) }
    }

    // MARK: Questions

    /// Whether no other request that may change sign-ins in one of its sessions was under way beside it.
    func isQuiet(_ exchange: Exchange) -> Bool {
        !exchanges.contains {
            $0 !== exchange && $0.changes && $0.touches(exchange) && $0.overlaps(exchange)
        }
    }

    /// True if a request that may change sign-ins of a session was under way since an instant.
    func isChanging(_ tag: String, since instant: Duration) -> Bool {
        exchanges.contains { other in
            other.last >= instant && (other.isRemote || other.tags.contains(tag))
                && (other.changes || isReplaced(other))
        }
    }

    /// True if the cookie may have been replaced by the time that the answer left, or taken back, or is one of several.
    func isReplaced(_ exchange: Exchange) -> Bool {
        let values = exchange.sent.jar.values
        guard values.count <= 1 else { return true }
        guard let cookie = browser.given.first(where: { values.contains($0.value) }) else { return false }
        let other = browser.given.first {
            // The cookie that its own answer brings replaces it by nothing but what it has done.
            $0.tag == cookie.tag && $0.value != cookie.value && $0.at >= cookie.at && $0.request != exchange.sent.id
        }
        return other != nil || mayBeTakenBack(cookie)
    }

    /// True if a request with an older cookie of the session was under way after the cookie came, and had been sent before any
    /// request with the cookie was answered: such a request takes a change back that has not been confirmed for ten seconds.
    private func mayBeTakenBack(_ cookie: GivenCookie) -> Bool {
        let older = browser.given.filter { $0.tag == cookie.tag && $0.at < cookie.at }.map(\.value)
        return exchanges.contains { other in
            other.sent.id != cookie.request && other.last > cookie.at && other.sent.began < cookie.seen ?? world.now
                && other.sent.jar.values.contains(where: older.contains)
        }
    }

    /// Whether a rule may not judge who is signed in: a cookie was replaced, or what became of a change is open.
    func isUnsure(_ exchange: Exchange) -> Bool {
        isReplaced(exchange) || exchange.tags.contains { sessions[$0]?.isUnsure ?? true }
    }

    /// When something of a kind went wrong last.
    func hasFailed(_ kinds: [String], since instant: Duration) -> Bool {
        kinds.contains { (world.record.lastFaults[$0] ?? .seconds(-1)) >= instant }
    }
}

extension Exchange {
    /// Which user its answer tells of; nil for none.
    func user(_ browser: Browser) -> String? {
        guard let instance, let response else { return nil }
        if name == "api" {
            return response.status == 200 ? response.json?["user"]?.string.flatMap { $0.isEmpty ? nil : $0 } : nil
        }
        return response.subject.flatMap { browser.user(of: $0, at: instance) }
    }
}
