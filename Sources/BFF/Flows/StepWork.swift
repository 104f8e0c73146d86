import Basics
import Sessions

/// A request to begin a flow, with its client, session and goal.
///
/// A class, because plans and commits of a sign-in hold it.
final class StartWork: Sendable {
    let call: InstanceCall
    /// The request that goes to the client.
    let request: StartRequest
    /// The goal of a step-up; nil for any other flow.
    let goal: StepUpGoal?
    let begun: Timestamp
    /// The browser's session; nil when it has none.
    let session: OpenedSession?
    /// True if the start resumes a journey by a link for which no flow of this browser waits: it builds upon nothing of
    /// this browser.
    let isCrossBrowser: Bool
    /// The name of the target to which the user returns from another site; nil for the first target.
    let target: String?
    /// True if the browser's cookie opens a session that is of no use, and has to be replaced.
    let replacesCookie: Bool

    /// Makes the work of a start; `waiting` is the flow of this browser that a link resumes.
    init(
        _ call: InstanceCall, asked: (request: StartRequest, goal: StepUpGoal?),
        opened: (session: OpenedSession?, replacesCookie: Bool), resumes waiting: FlowRecord? = nil, now: Timestamp
    ) {
        self.call = call
        (request, goal) = asked
        (session, replacesCookie) = opened
        isCrossBrowser = asked.request.isResumed && waiting == nil
        begun = waiting?.started ?? now
        target = asked.request.returnTarget ?? waiting?.travel.target
    }
}

/// A request to answer a step, with its client and flow.
///
/// The body stays with the request, so that a password in it is not kept longer than the request.
///
/// A class, because plans and commits of a sign-in hold it.
final class StepWork: Sendable {
    let call: InstanceCall
    /// The flow as it was when the request came.
    let found: StoredFlow
    let step: Int
    let mac: [UInt8]
    let answers: PageAnswers
    let countName: (@Sendable (_ name: String) -> Duration?)?
    /// True if the request only asks whether the wait of the page is over.
    let isPoll: Bool

    init(_ call: InstanceCall, _ found: StoredFlow, _ request: NextRequest, mac: [UInt8], isPoll: Bool = false) {
        (self.call, self.found, self.mac, self.isPoll) = (call, found, mac, isPoll)
        (step, answers, countName) = (request.step, request.answers, request.countName)
    }

    var flow: String { found.record.id }
}

/// A step in flight to the provider: the answer to a page, the session as it was at that time, and the flow as it was
/// stored.
///
/// A class, because plans and commits of a sign-in hold it.
final class SentStep: Sendable {
    let work: StepWork
    let session: OpenedSession
    let written: StoredFlow

    init(work: StepWork, session: OpenedSession, written: StoredFlow) {
        (self.work, self.session, self.written) = (work, session, written)
    }

    var flow: FlowRecord { written.record }

    /// Makes the kept answer of this step.
    func kept(
        _ outcome: FlowRecord.KeptAnswer.Outcome, until end: Timestamp, newSecret: [UInt8]? = nil
    ) -> FlowRecord.KeptAnswer {
        FlowRecord.KeptAnswer(step: work.step, mac: work.mac, outcome: outcome, until: end, newSecret: newSecret)
    }

    /// The audit's facts about the step.
    var facts: AuditFacts {
        var facts = AuditFacts(session.key, flow.instance)
        facts.flow = FlowDigest(of: flow.id)
        return facts
    }

    /// True if the stored flow is still the one of this step: it was not cancelled, logged out, dropped or given up
    /// meanwhile.
    func isUnderWay(in session: OpenedSession) -> Bool {
        guard let current = session.storedFlow(flow.id, known: written)?.record else { return false }
        return current.step == flow.step && current.phase == flow.phase
    }
}
