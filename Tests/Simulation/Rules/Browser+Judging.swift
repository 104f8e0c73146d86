import BFF
import HTTPCore
import JSON
import StorageKit

/// The rules that look at one answer.
extension Browser {
    /// Judges an answer that has come.
    func judge(_ response: Response, _ request: Request, _ sent: Sent) {
        judgeContents(response, request, sent)
        // Routes that need no sign-in, and `session`, are no use of one.
        guard let instance = request.instance else { return }
        if response.status < 300, !sent.isForeign, request.isUse {
            forgetExpired(at: sent.began)
            expectations.lastUse = world.now
        }
        if let subject = response.subject { judgeFacts(subject, instance, request, sent) }
        if request.name == "api", response.status == 200, let at = response.json?["at"]?.int {
            judgeToken(grantedAt: .milliseconds(at), response, instance, sent)
        }
    }

    // MARK: What no answer may hold

    private func judgeContents(_ response: Response, _ request: Request, _ sent: Sent) {
        world.record.count(.check, "an answer that is searched for tokens")
        for word in Words.of(response.body + [0] + (response.location ?? "").utf8) { judgeWord(word, request, sent) }
    }

    private func judgeWord(_ word: String, _ request: Request, _ sent: Sent) {
        if word.hasPrefix("user"), let digit = word.dropFirst(4).first?.wholeNumberValue, digit != number {
            world.fail(.foreignUser, "\(sent.id) \(request.name) tells of \(word)")
        }
        if let user = cluster.subjects[word], !Definition.users(number, mix).contains(user) {
            world.fail(.foreignUser, "\(sent.id) \(request.name) tells of \(word), who is \(user)")
        }
        if cluster.ledger.isSecret(word) {
            world.fail(.secret, "\(sent.id) \(request.name) holds a token: \(word.prefix(12))…")
        }
    }

    // MARK: Facts and tokens

    /// Facts of a user were told.
    private func judgeFacts(_ subject: String, _ instance: Instance, _ request: Request, _ sent: Sent) {
        world.record.count(.check, "facts of a user")
        if user(of: subject, at: instance) == nil {
            world.fail(.foreignUser, "\(sent.id) \(request.name) tells of \(subject) for \(instance)")
        }
        if let logout = expectations.logouts[instance], logout.ended < sent.began {
            world.record.count(.check, "facts after a logout")
            let newest = cluster.ledger.newestGrant(of: users(instance), at: instance.client) ?? .zero
            if newest < logout.began {
                let rule = request.answers ? Rule.replayAfterLogout : .afterLogout
                world.fail(rule, "\(sent.id) \(request.name) tells of \(subject), signed out before by \(instance)")
            }
        }
        // A kept answer of a flow tells the sign-in that it was, which opens nothing any more.
        if !request.answers, let user = user(of: subject, at: instance) {
            let grants = cluster.ledger.grants(of: [user], at: instance.client)
            cluster.ledger.ends.judge(grants, sent.id, "\(request.name) tells of \(user) at \(instance)")
        }
        if instance.hasLimits { judgeLimits(instance, request, sent) }
        judgeAge(request.answers ? .seconds(30) : .seconds(10), request, sent)
    }

    /// What a client's own limits have ended is not there, and nothing is that is weaker than its minimum.
    private func judgeLimits(_ instance: Instance, _ request: Request, _ sent: Sent) {
        world.record.count(.check, "facts of a client with limits")
        let slack = Definition.storing + mix.skew
        guard instance.isElevated else {
            guard request.name == "user", let used = sent.lastUse,
                sent.began - used > Definition.kioskIdle + slack
            else { return }
            return world.fail(.pastLimit, "\(sent.id) tells of \(instance), not used for \(sent.began - used)")
        }
        let grants = cluster.ledger.grants(of: users(instance), at: instance.client)
        let recent = grants.filter { sent.began - $0.at <= Definition.elevatedLimit + slack }
        guard !recent.isEmpty else {
            return world.fail(.pastLimit, "\(sent.id) \(request.name) tells of \(instance) after its limit")
        }
        if recent.allSatisfy({ $0.level < Definition.elevatedLevel }) {
            world.fail(.belowMinimum, "\(sent.id) \(request.name) tells of \(instance), whose sign-in is too weak")
        }
    }

    /// A call went out with a token and was taken.
    private func judgeToken(
        grantedAt granted: Duration, _ response: Response, _ instance: Instance, _ sent: Sent
    ) {
        let owner = Instance(response.json?["client"]?.string ?? "", instance.account)
        if let logout = expectations.logouts[owner], logout.ended < sent.began, granted < logout.began {
            world.fail(.afterLogout, "\(sent.id) api went out with a token from before the logout of \(owner)")
        }
        judgeAge(.seconds(10), Request("api", .get, ""), sent)
        guard owner.isElevated, let cookie = replaced(sent) else { return }
        // What a change of the cookie has brought is never reached by the one before it.
        let isOwn = overtaken.contains { granted <= $0 && $0 < cookie.replaced ?? $0 }
        if granted > cookie.at, !isOwn {
            world.fail(.oldCookie, "\(sent.id) reached the token of a step-up with the cookie before it")
        }
    }

    /// The cookie that a request went out with, where it was replaced before; nil when one of its cookies was not.
    func replaced(_ sent: Sent) -> GivenCookie? {
        let cookies = sent.jar.values.compactMap { value in given.first { $0.value == value } }
        guard !cookies.isEmpty, cookies.allSatisfy({ $0.replaced.map { $0 < sent.began } ?? false }) else { return nil }
        return cookies.max { $0.at < $1.at }
    }

    /// A cookie that was replaced reads for a while; when its successor has been seen, no longer.
    private func judgeAge(_ limit: Duration, _ request: Request, _ sent: Sent) {
        guard let cookie = replaced(sent), let at = cookie.replaced else { return }
        world.record.count(.check, "an answer to a replaced cookie")
        let isFinal = given.contains { $0.tag == cookie.tag && $0.at >= at && ($0.seen ?? sent.began) < sent.began }
        let age = sent.began - at - (sent.ended - sent.began) - mix.skew
        if isFinal, age > limit {
            world.fail(
                .oldCookie,
                "\(sent.id) \(request.name) is answered to a cookie that was replaced \(sent.began - at) before")
        }
    }

    // MARK: Cookies

    /// A cookie is handed out once more.
    func judgeRepeated(_ cookie: GivenCookie, _ sent: Sent) {
        world.record.count(.check, "a cookie handed out again")
        guard let replaced = cookie.replaced, world.now > replaced + .milliseconds(100) else { return }
        world.fail(.staleSetCookie, "\(sent.id) hands out a cookie that was replaced \(world.now - replaced) before")
    }

    /// A cookie is handed out for the first time: it is not one that is over already, by a logout or a change taken back.
    func judgeNew(_ cookie: GivenCookie, _ sent: Sent) {
        guard let credential = SessionCredential(cookieValue: cookie.value),
            // Somebody without a cookie may end what is about to be answered.
            !cluster.journal.wasEndedRemotely(credential.sessionKey),
            let ended = cluster.journal.deletion(of: credential.ticketField, in: credential.sessionKey),
            world.now > ended + .milliseconds(600)
        else { return }
        world.fail(.staleSetCookie, "\(sent.id) hands out a cookie that was over \(world.now - ended) before")
    }

    /// An answer changes the jar: it must not take a cookie that it knew nothing of.
    func judgeChange(_ name: String, _ value: String?, _ response: Response, _ request: Request, _ sent: Sent) {
        defer { if value != nil { expectations.foundTrack() } }
        if value != nil, jar.cookies[name] != nil {
            world.record.count(.check, "a cookie that another one takes the place of")
        }
        guard let held = jar.cookies[name], held != sent.jar.cookies[name],
            let cookie = given.first(where: { $0.value == held }), cookie.isSignedIn,
            let key = SessionCredential(cookieValue: held)?.sessionKey, !cluster.journal.wasEnded(key)
        else { return }
        if let value {
            guard GivenCookie.tag(of: value) != cookie.tag else { return }
            // Two tabs without a session may sign in at once; a browser has one cookie, and the last sign-in has it.
            guard response.json?["signedIn"]?.bool != true else {
                return expectations.lostTrack()
            }
            world.fail(.cookieOverwritten, "\(sent.id) \(request.name) takes the place of a cookie that came meanwhile")
        } else {
            // Who signs in and out at once gets either; but the answer to a logout waits for no provider.
            world.record.count(.check, "a logout that clears a cookie that came meanwhile")
            // What comes of a change is told to the provider meanwhile; its own part is done when the session has ended.
            let keys = sent.jar.values.compactMap { SessionCredential(cookieValue: $0)?.sessionKey }
            let isDone = keys.compactMap { cluster.journal.knownEnd(of: $0) }.max() ?? sent.began
            // Who finds the session ended by another logout has nothing of its own to wait for.
            let isOther = model.exchanges.contains { other in
                other.sent.id != sent.id && other.ends && other.last >= sent.began && other.isRemote
                    || other.sent.id != sent.id && other.ends && other.last >= sent.began
                        && other.sent.jar.values.contains { value in
                            SessionCredential(cookieValue: value).map { keys.contains($0.sessionKey) } ?? false
                        }
            }
            // A commit that the store did not confirm is asked for again, which takes time as well.
            let isUnsure = (world.record.lastFaults["the store fails after the effect"] ?? .seconds(-1)) >= sent.began
            if !isUnsure, !isOther,
                cluster.ledger.hasAnswered(
                    for: sent.id, after: isDone, before: sent.ended - request.lag - .milliseconds(21))
            {
                world.fail(
                    .newerCleared,
                    "\(sent.id) \(request.name) waited for the provider and clears a cookie that came meanwhile")
            }
        }
        expectations.lostTrack()
    }
}
