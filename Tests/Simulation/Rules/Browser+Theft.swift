import JSON
import StorageKit

/// The rule about thieves: none but the newest confirmed cookie reads, answers or gets what a sign-in brought.
extension Browser {
    /// The cookies that were given for the same session after one, oldest first.
    private func successors(of cookie: GivenCookie) -> ArraySlice<GivenCookie> {
        guard let place = given.lastIndex(where: { $0.value == cookie.value }) else { return [] }
        return given[(place + 1)...].filter { $0.tag == cookie.tag }[...]
    }

    /// True if a request has come with a cookie that was given after this one.
    func isOver(_ cookie: GivenCookie) -> Bool { successors(of: cookie).contains { $0.seen != nil } }

    /// True if a request has come with a cookie that was given after the one of a request.
    func isOver(_ sent: Sent) -> Bool { stolen(sent).map(isOver) ?? false }

    /// True if another cookie was given after this one, and no request has come with it.
    func isPending(_ cookie: GivenCookie) -> Bool {
        let later = successors(of: cookie)
        return !later.isEmpty && later.allSatisfy { $0.seen == nil }
    }

    /// The cookie that a thief comes with.
    private func stolen(_ sent: Sent) -> GivenCookie? { given.last { sent.jar.contains($0.value) } }

    /// True if a sign-in that followed a cookie brought a grant.
    private func isLater(_ gift: Ledger.Gift, than cookie: GivenCookie) -> Bool {
        successors(of: cookie).contains { later in
            guard later.isSignedIn else { return false }
            if later.request == gift.call.requestID { return true }
            // Once a change was taken back, the cookie before it is the one that counts.
            let undone = SessionCredential(cookieValue: later.value).flatMap {
                cluster.journal.deletion(of: $0.ticketField, in: $0.sessionKey)
            }
            return gift.at > later.at && undone.map { gift.at < $0 } ?? true
        }
    }

    /// A token goes out for a thief.
    func judgeTheft(of gift: Ledger.Gift, _ sent: Sent) {
        guard let cookie = stolen(sent) else { return }
        world.record.count(.check, "a token that goes out for a thief")
        if !cookie.isSignedIn || isLater(gift, than: cookie) {
            world.fail(.theft, "\(sent.id): a token of \(gift.user) \(gift.client) goes out for a cookie before it")
        }
    }

    /// An answer has come to a thief.
    func judgeTheft(_ response: Response, _ request: Request, _ sent: Sent) {
        guard let cookie = stolen(sent) else { return }
        let isOver = successors(of: cookie).contains { ($0.seen ?? sent.ended) < sent.began }
        world.record.count(.check, isOver ? "an answer to a thief whose cookie is over" : "an answer to a thief")
        func fail(_ what: String) {
            let held = Jar.text(cookie.name, cookie.value)
            world.fail(.theft, "\(sent.id) \(request.name) by a thief with \(held) \(what)")
        }
        for case (_, let value?) in response.cookies {
            let isKnown = given.contains { $0.value == value && $0.request != sent.id }
            if isKnown || GivenCookie.tag(of: value) == cookie.tag { fail("gets the cookie …\(value.suffix(4))") }
        }
        judgeFlows(response, request, isOver, fail)
        // A session of his own tells of nobody.
        for (instance, subject) in Self.subjects(response, request) {
            world.record.count(.check, "facts that a thief gets")
            let grants = cluster.ledger.grants(of: users(instance), at: instance.client)
            let former = grants.filter {
                !isLater($0, than: cookie) && user(of: subject, at: instance) == $0.user
            }
            if !cookie.isSignedIn || former.isEmpty { fail("is told of \(subject), who came later") }
        }
    }

    private func judgeFlows(_ response: Response, _ request: Request, _ isOver: Bool, _ fail: (String) -> Void) {
        let own = request.target + (request.body?.text ?? "")
        if !request.begins {
            let told = Words.of(response.body).filter { $0.hasPrefix("f_") && $0.utf8.count == 24 }
            if let flow = told.first(where: { !own.contains($0) }) { fail("is told of the flow \(flow.prefix(7))") }
        }
        guard isOver, response.status == 200 else { return }
        // Whose cookie opens nothing at all begins a session of his own.
        let isOwn = request.begins && response.cookies.contains { $0.value != nil }
        if response.json?["flow"] != nil, !isOwn { fail("gets a page") }
        if request.name == "refresh" { fail("renews tokens") }
    }

    /// Whom an answer tells of, by instance.
    private static func subjects(_ response: Response, _ request: Request) -> [(Instance, String)] {
        if let instance = request.instance { return response.subject.map { [(instance, $0)] } ?? [] }
        return (response.json?["instances"]?.array ?? []).compactMap { entry in
            guard let client = entry["client"]?.string, let subject = entry["subject"]?.string else { return nil }
            return (Instance(client, entry["account"]?.string ?? ""), subject)
        }
    }
}
