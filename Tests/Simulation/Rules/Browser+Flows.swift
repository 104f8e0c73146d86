import JSON
import StorageKit

/// The rules about flows and their answers, and what a logout reaches.
extension Browser {
    /// The same answer to a step brings the same, whoever asks it and how often.
    func judgeSameAnswer(_ body: JSONObject, _ node: JSONObject, _ instance: Instance, _ sent: Sent) {
        // What is left of a life time is not the same twice.
        var kept: JSONObject = [:]
        for name in ["type", "flow", "step", "reason", "signedIn"] { kept[name] = node[name] }
        kept["subject"] = node["user"]?["subject"]
        let told = kept.text
        let key = "\(instance) \(body.text)"
        guard let before = answered.updateValue(told, forKey: key) else { return }
        world.record.count(.check, "an answer that was given before")
        guard told != before else { return }
        world.fail(.twoAnswers, "\(sent.id) the same next got \(before) and \(told)")
    }

    /// A sign-in that was not asked to do so takes no other user's place.
    ///
    /// - Parameters:
    ///   - instance: The instance of the sign-in.
    ///   - told: The subject that signed in.
    ///   - former: The subject that was signed in before, as the server said.
    ///   - began: The time of that answer's request. Another change of the sign-in since then excuses it.
    func judgeUnasked(_ instance: Instance, _ told: String, over former: String, since began: Duration) {
        let changing = model.exchanges.filter { $0.changes && $0.last >= began }
        guard changing.count == 1 else { return }
        world.record.count(.check, "a sign-in over another user")
        if told != former { world.fail(.oddUser, "\(told) is signed in to \(instance) over \(former), unasked") }
    }

    /// A sign-in brings a new cookie, unless the request came with the one that it has brought already.
    func judgeSignedIn(_ response: Response, _ instance: Instance, _ sent: Sent) {
        guard response.outcome == "success", response.json?["signedIn"]?.bool == true,
            let flow = response.json?["flow"]?.string, let start = flowsBegan[flow]
        else { return }
        let ends = [endedFlows[flow], endedAccounts[instance.account], endedAccounts[nil]].compactMap(\.self)
        let sessions = sent.jar.values.map(GivenCookie.tag)
        // Where a cookie opens nothing there is nothing to end, and that is well too.
        let meant = flowSessions[flow].map { [$0] } ?? sessions
        let own = ends.filter { end in
            start.ended < end.began && end.jar.values.map(GivenCookie.tag).contains(where: meant.contains)
        }
        if let end = own.map(\.ended).max() {
            if cluster.ledger.hasGrant(for: sent.id, after: end) {
                world.fail(.endedFlow, "\(sent.id) signs in by \(flow), which was ended \(sent.ended - end) before")
            }
        }
        world.record.count(.check, "a sign-in that brings a cookie")
        guard response.cookies.isEmpty else { return }
        // It may have been replaced in its turn by now, or be over.
        let isNew = given.contains { $0.isSignedIn && $0.at >= start.began && sessions.contains($0.tag) }
        let isOver = sent.jar.values.compactMap { SessionCredential(cookieValue: $0)?.sessionKey }
            .contains { cluster.journal.hasLostTicket($0, since: sent.began) }
        if !isNew, !isOver {
            world.fail(.cookieKept, "\(sent.id) signs in, and the cookie is the one from before \(flow)")
        }
    }

    /// With a cookie that was replaced no flow begins in its session.
    func judgeOldFlow(_ response: Response, _ request: Request, _ sent: Sent) {
        guard request.begins, ["continue", "success"].contains(response.outcome), response.cookies.isEmpty else {
            return
        }
        world.record.count(.check, "a flow that begins in a session")
        guard let cookie = replaced(sent),
            given.contains(where: { $0.tag == cookie.tag && ($0.seen ?? sent.began) < sent.began && $0.at > cookie.at })
        else { return }
        world.fail(.oldCookie, "\(sent.id) began a flow with a cookie that was replaced")
    }

    /// Whether a logout with these cookies ends all that the browser was ever signed in with: its cookie is the last one of
    /// the only session that it was given.
    func reachesAll(_ sent: Sent) -> Bool {
        let tags = Set(given.filter(\.isSignedIn).map(\.tag))
        guard tags.count <= 1, let cookie = given.last(where: { sent.jar.contains($0.value) }) else { return false }
        // What was under way in another session may have signed in there, which no answer has told yet.
        guard expectations.lastOverlap < sent.began || given.allSatisfy({ $0.tag == cookie.tag }) else { return false }
        return cookie.replaced == nil && tags.contains(cookie.tag)
    }
}
