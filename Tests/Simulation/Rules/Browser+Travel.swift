import Basics
import HTTPCore
import JSON

/// The rules about users who wait for a device, leave for another site, come back, and open links.
extension Browser {
    // MARK: Waiting

    /// A poll is not held for longer than it says, where nothing holds it up.
    func judgeHeld(_ request: Request, _ sent: Sent) {
        guard mix.isQuick else { return }
        world.record.count(.check, "a poll that is held")
        let span = sent.ended - sent.began
        if span > request.wait + .seconds(3) {
            world.fail(.pollHeld, "\(sent.id) wants to be held for \(request.wait) and is answered after \(span)")
        }
    }

    /// A poll that a machine holds is answered when the machine is told to stop.
    func judgeStop(of machine: Machine, _ request: Request, _ sent: Sent) {
        guard mix.isQuick, request.wait > .zero, let since = machine.drainedAt, sent.began < since else { return }
        world.record.count(.check, "a poll that is held while its machine stops")
        if world.now - since > .seconds(3) {
            world.fail(.drained, "\(sent.id) is held for \(world.now - since) by a machine that was told to stop")
        }
    }

    /// A wait that is over, as an answer has told, is not shown any more; and all polls of it get what ended it.
    func judgePoll(_ page: JSONObject, _ node: JSONObject, _ instance: Instance, _ sent: Sent) {
        guard let flow = page["flow"]?.string, let step = page["step"]?.int else { return }
        let key = "\(flow) \(step)"
        let end = endedWaits[key]
        if let end, end < sent.began { world.record.count(.check, "a poll after the end of its wait") }
        guard node["step"]?.int == page["step"]?.int, node["type"]?.string == "continue" else {
            endedWaits[key] = min(end ?? sent.ended, sent.ended)
            // Who is held while others go on sees where the flow is.
            let isPassed = sentAnswers.contains { $0.body["flow"] == page["flow"] && $0.body["step"]?.int ?? 0 > step }
            guard !exited.contains(flow), !isPassed else { return }
            return judgeSameAnswer(
                ["flow": .string(flow), "step": page["step"] ?? .null, "poll": true], node, instance, sent)
        }
        if let end, end < sent.began {
            world.fail(.pollEnded, "\(sent.id) waits at step \(step) of \(flow), whose wait was over at \(end)")
        }
    }

    // MARK: Leaving and coming back

    /// An answer was given, whether or not it comes: a handle leads away once.
    func judgeTravel(_ response: Response, _ request: Request, _ sent: Sent) {
        guard request.name == "go" else { return }
        world.record.count(.check, "a handle by which somebody leaves")
        judgeLeaving(response, request, sent)
        guard response.leadsOn, !spent.insert(request.target).inserted else { return }
        world.fail(.departureTwice, "\(request.target.suffix(8)) leads away a second time")
    }

    /// A page is left with a cookie that counts, and not while the provider has an answer to it.
    private func judgeLeaving(_ response: Response, _ request: Request, _ sent: Sent) {
        if let cookie = replaced(sent),
            given.contains(where: { $0.tag == cookie.tag && ($0.seen ?? sent.began) < sent.began && $0.at > cookie.at })
        {
            world.record.count(.check, "a page that is left with a cookie that was replaced")
            if response.leadsOn { world.fail(.oldCookie, "\(sent.id) leaves with a cookie that was replaced") }
        }
        let answering = model.exchanges.first { other in
            guard other.request.answers, other.flow != nil, other.flow == request.leaves,
                let since = cluster.ledger.stepsUnderWay[other.sent.id]
            else { return false }
            // A call that the provider never answers is given up after a while.
            return since < sent.began && world.now - since < .seconds(5)
        }
        guard let answering else { return }
        world.record.count(.check, "a page that is left while its answer is on its way")
        guard response.leadsOn else { return }
        world.fail(.departureTwice, "\(sent.id) leaves a page whose answer \(answering.sent.id) is at the provider")
    }

    /// An answer leads away: its user is waited for.
    func noteAway(_ flow: String, _ response: Response) {
        var jar = Jar()
        for (name, value) in response.cookies { jar.set(name, value) }
        away[flow] = (jar.waysBack, world.now, leavings.values.reduce(0, +))
    }

    /// Who comes back for the first time, with what they left with, is waited for: for ten minutes, as one of five.
    func judgeWaitedFor(_ flow: String, _ response: Response?, _ sent: Sent) {
        let since = leavings.values.reduce(0, +) - (away[flow]?.number ?? 0)
        guard let left = away.removeValue(forKey: flow), let response, sent.jar.waysBack == left.cookies,
            sent.ended - left.since < .seconds(600) - mix.skew, since < 5
        else { return }
        world.record.count(.check, "somebody who comes back in time")
        guard response.status == 303, response.handle == nil else { return }
        world.fail(.returnLost, "\(sent.id) comes back for \(flow), left at \(left.since), and nobody waits")
    }

    /// Who has come back goes on once, for each time that they left.
    func judgeArrival(_ flow: String, _ handle: String) {
        world.record.count(.check, "somebody who has come back")
        arrivals[flow, default: []].insert(handle)
        let count = arrivals[flow]?.count ?? 0
        if count > leavings[flow] ?? 0 {
            world.fail(.arrivalTwice, "\(flow) was left \(leavings[flow] ?? 0) times and goes on with \(count) handles")
        }
    }

    /// A flow goes on in the session that it was left in, and nowhere else.
    func judgeResumed(_ flow: String, _ sent: Sent) {
        world.record.count(.check, "a flow that goes on after a return")
        let session = flowSessions[flow].map { [$0] } ?? flowsBegan[flow]?.jar.values.map(GivenCookie.tag) ?? []
        if !sent.jar.values.map(GivenCookie.tag).contains(where: session.contains) {
            world.fail(.foreignReturn, "\(sent.id) goes on with \(flow), which is of another browser session")
        }
    }

    // MARK: Links

    /// A link asks whether its user may take the place of another one.
    func noteQuestion(_ question: JSONValue) {
        guard let flow = question["flow"]?.string, let subject = question["subject"]?.string,
            let left = question["expiresIn"]?.int
        else { return }
        let until = max(questions[flow]?.until ?? .zero, world.now + .seconds(left + 1) + mix.skew)
        questions[flow] = (subject, until)
    }

    /// A link was confirmed: it signs in the user whom it has named, and in time.
    func judgeConfirmed(_ flow: String, _ node: JSONObject, _ sent: Sent) {
        guard node["type"]?.string == "success", let (subject, until) = questions[flow] else { return }
        world.record.count(.check, "a sign-in that was confirmed")
        if let told = node["user"]?["subject"]?.string, told != subject {
            world.fail(.oddUser, "\(sent.id) confirms the sign-in of \(subject), and \(told) is signed in")
        }
        if sent.began > until {
            world.fail(.oddStep, "\(sent.id) is confirmed \(sent.began - until) after its time")
        }
    }

    /// A link signs in once.
    func judgeLink(_ id: String, _ node: JSONObject, _ sent: Sent) {
        world.record.count(.check, "a link that is opened")
        guard node["type"]?.string == "success" else { return }
        linksTaken[id, default: 0] += 1
        if linksTaken[id] == 2 { world.fail(.linkTwice, "\(sent.id) signs in by a link a second time") }
    }
}
