import Basics

/// A request to begin a flow, with its client, session and goal.
///
/// A class, as plans and commits of a sign-in hold it.
final class StartWork: Sendable {
    let call: InstanceCall
    /// The request as it goes to the client.
    let request: StartRequest
    /// What the flow is started for, when it is a step-up.
    let goal: StepUpGoal?
    let begun: Timestamp
    /// The browser's session; nil when it has none.
    let session: OpenedSession?
    /// The link that was opened to go on with what was suspended; nil for a new flow.
    let link: OpenedLink?
    /// The name of the target that somebody comes back to who leaves; nil for the first.
    let target: String?
    /// Whether the browser's cookie opens a session that is of no use.
    let replacesCookie: Bool

    /// Of `opened`, `isLost` says that the browser's cookie opens a session that is of no use.
    init(
        _ call: InstanceCall, _ asked: (request: StartRequest, goal: StepUpGoal?),
        _ opened: (session: OpenedSession?, isLost: Bool), _ link: OpenedLink? = nil, now: Timestamp
    ) {
        self.call = call
        (request, goal) = asked
        (session, replacesCookie) = opened
        self.link = link
        begun = link?.flow?.started ?? now
        target = asked.request.returnTarget ?? link?.flow?.travel.target
    }
}

extension StartWork {
    /// Whether it goes on with a link for which no flow of this browser waits: it builds upon nothing that is here.
    var isCrossBrowser: Bool { link != nil && link?.flow == nil }
}

/// A request to answer a step, with its client and flow; the body stays with the request, so that a password in it is not
/// kept any longer.
///
/// A class, as plans and commits of a sign-in hold it.
final class StepWork: Sendable {
    let call: InstanceCall
    /// The flow as it was when the request came.
    let found: StoredFlow
    let step: Int
    let mac: [UInt8]
    let answers: PageAnswers
    let countName: (@Sendable (_ name: String) -> Duration?)?
    /// Whether it only asks whether the wait of the page is over.
    let isPoll: Bool

    init(_ call: InstanceCall, _ found: StoredFlow, _ request: NextRequest, mac: [UInt8], isPoll: Bool = false) {
        (self.call, self.found, self.mac, self.isPoll) = (call, found, mac, isPoll)
        (step, answers, countName) = (request.step, request.answers, request.countName)
    }

    var flow: String { found.record.id }
}

/// A step on its way to the provider: the answer to a page, the session as it was then, and the flow as it was written.
///
/// A class, as plans and commits of a sign-in hold it.
final class SentStep: Sendable {
    let work: StepWork
    let session: OpenedSession
    let written: StoredFlow

    init(work: StepWork, session: OpenedSession, written: StoredFlow) {
        (self.work, self.session, self.written) = (work, session, written)
    }

    var flow: FlowRecord { written.record }

    /// The answer to the step, to be kept.
    func kept(
        _ outcome: FlowRecord.KeptAnswer.Outcome, until end: Timestamp, newSecret: [UInt8]? = nil
    ) -> FlowRecord.KeptAnswer {
        FlowRecord.KeptAnswer(step: work.step, mac: work.mac, outcome: outcome, until: end, newSecret: newSecret)
    }

    /// What the audit says of it.
    var facts: AuditFacts {
        var facts = AuditFacts(session.key, flow.instance)
        facts.flow = FlowDigest(of: flow.id)
        return facts
    }

    /// Whether the flow is still what was written: nobody cancelled, logged out, threw out or gave up what is under way.
    func isUnderWay(in session: OpenedSession) -> Bool {
        guard let current = session.storedFlow(flow.id, known: written)?.record else { return false }
        return current.step == flow.step && current.phase == flow.phase
    }
}
