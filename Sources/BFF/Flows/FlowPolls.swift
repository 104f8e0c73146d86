import Basics
import Cryptography
import StorageKit

/// A request that only asks whether the wait of a page is over.
///
/// A class, as tasks hold it beside the request.
final class FlowPoll: Sendable {
    let request: NextRequest
    let found: StoredFlow
    /// The flow at the page that waits, as the request found it.
    let page: any OpenedFlow
    let call: InstanceCall

    init(_ request: NextRequest, _ found: StoredFlow, _ page: any OpenedFlow, _ call: InstanceCall) {
        (self.request, self.found, self.page, self.call) = (request, found, page, call)
    }

    /// The call to the provider.
    ///
    /// It has its own time, as it goes on when the request is answered: cut off, it would leave nobody knowing what the
    /// provider did.
    var work: StepWork {
        let context = call.context.until(.now + call.client.stepTimeout + .seconds(5))
        var request = request
        // What is pressed to poll submits nothing.
        if case .poll(let question, _) = page.wait, request.answers.action == question { request.answers.values = [:] }
        let call = InstanceCall(instance: call.instance, client: call.client, context: context, audit: call.audit)
        return StepWork(call, found, request, mac: found.record.mac(of: .poll), isPoll: true)
    }
}

/// How a wait goes on after a poll.
struct PollWait: Sendable {
    /// The provider may be asked again from then on.
    let due: Timestamp
    /// The flow at the page that waits.
    let page: any OpenedFlow
}

extension FlowSteps {
    /// The page that a request polls; nil for a request that is no poll of what the flow shows now.
    ///
    /// Whoever sends a page that waits for time back without an answer polls it, named or not: the provider sees no
    /// difference.
    func polledPage(
        _ request: NextRequest, _ flow: FlowRecord, _ client: ClientDefinition
    ) throws(BFFError) -> (any OpenedFlow)? {
        guard case .poll = flow.awaits, flow.step == request.step else { return nil }
        let page = try flows.open(flow, client)
        guard case .poll(let question, _) = page.wait else { return nil }
        return request.answers.action == question || !page.leavesWait(request.answers) ? page : nil
    }

    /// Polls the provider when that is due, for all tabs and processes at once, and, where the request wants to wait, again
    /// until the page changes or the time is up.
    ///
    /// A wait that goes on is not remembered: the step stays, and the next poll is a new one. What ends it is, as the answer
    /// to any step, and all polls of the step get it.
    func poll(_ poll: FlowPoll, _ opened: OpenedSession) async throws(BFFError) -> Reply<FlowNode> {
        let limit = poll.call.context.deadline - environment.settings.reserve / 2
        let end = min(limit, .now + poll.request.wait)
        let isHeld = poll.request.wait > .zero && environment.work.polls.begin(opened.key, environment.settings)
        defer { if isHeld { environment.work.polls.end(opened.key) } }
        let found = poll.found.record
        let now = environment.now()
        // As `takeStep` would find, at less cost.
        if !isHeld, found.isEarly(for: poll.request.step, at: now) {
            return Reply(flows.page(found, poll.page, poll.call.client, at: now))
        }
        let key = StepKey(
            session: opened.key, ticket: opened.credential.ticketField, flow: poll.request.flow,
            step: poll.request.step, mac: found.mac(of: .poll))
        var session = opened
        do throws(BFFError) {
            while true {
                let (fresh, work) = (session, poll.work)
                let result = try await environment.work.steps.share(key, until: limit) { [self] in
                    try await takeStep(fresh, work)
                }
                guard let result else {
                    return Reply(flows.page(found, poll.page, poll.call.client, at: environment.now()))
                }
                guard isHeld, let wait = result.wait, .now < end, wait.page.looks(like: poll.page),
                    !environment.work.polls.isDraining
                else { return try await reply(result, session, poll.call) }
                session = try await hold(work, session, wait.due, until: end)
            }
        } catch .staleStep(let node) {
            // Somebody answered the page meanwhile, as by its exit.
            return Reply(node)
        } catch .flowExpired {
            // That may have ended the flow, with an answer that is still kept.
            let call = poll.call
            return Reply(try await flows.flow(call.instance.text, poll.request.flow, call.context))
        }
    }

    /// Waits until a poll is due or something else has happened to the flow, but no longer than the poll is held.
    private func hold(
        _ work: StepWork, _ session: OpenedSession, _ due: Timestamp, until end: ContinuousClock.Instant
    ) async throws(BFFError) -> OpenedSession {
        let wake = min(end, .now + (due - environment.now()))
        let moved = try await environment.waits.value(of: .session(session.key), until: wake) {
            () throws(BFFError) -> OpenedSession? in
            let fresh = try await reopenFlow(session)
            guard let flow = fresh.flow(work.flow) else { throw .flowExpired }
            let decision = flow.decide(step: work.step, mac: work.mac, at: environment.now())
            if case .replay = decision { return fresh }
            // rule: a held poll ends with its cookie
            guard fresh.claims.status(at: environment.now()) == .current else { throw .sessionChanged }
            return decision == .early(until: due) && !environment.work.polls.isDraining ? nil : fresh
        }
        return moved ?? session
    }
}

extension Flows {
    /// The answer to a poll after which the page waits on.
    func waiting(
        _ flow: FlowRecord, _ opened: any OpenedFlow, _ client: ClientDefinition, until time: Timestamp,
        isSuperseded: Bool = false
    ) -> StepResult {
        let node = page(flow, opened, client, at: environment.now())
        return StepResult(
            answer: .node(node), isSuperseded: isSuperseded, isFresh: true, wait: PollWait(due: time, page: opened))
    }
}

extension FlowRecord {
    /// Whether a poll of a step is certain to come before its time: as `decide`, which takes a MAC where an answer is kept.
    func isEarly(for asked: Int, at now: Timestamp) -> Bool {
        guard phase == .ready, asked == step, kept?.step != asked, now < ends, case .poll(let time) = awaits else {
            return false
        }
        return now < time
    }

    /// Whether a poll of its page is on its way.
    func isPolled(at now: Timestamp) -> Bool {
        if case .sent(let mac, let deadline) = phase { now < deadline && isPoll(mac) } else { false }
    }

    /// Whether a MAC is that of polls, at a page that is polled.
    func isPoll(_ mac: [UInt8]) -> Bool {
        if case .poll = awaits { constantTimeEquals(mac, self.mac(of: .poll)) } else { false }
    }

    /// The MAC that an answer is known by which is no poll of the page that is shown now: over its body, or that of polls
    /// where a poll ended the step that it is for.
    func mac(of request: NextRequest) -> [UInt8] {
        if let kept, kept.step == request.step, case .answers = request.identity,
            request.answers.action != nil || request.answers.values.isEmpty,
            case let poll = mac(of: .poll), constantTimeEquals(kept.mac, poll)
        {
            return poll
        }
        return mac(of: request.identity)
    }

    /// A page that wants to be polled at once is asked again no sooner than this: nobody polls as fast as answers come.
    private static let shortestPace = Duration.milliseconds(500)

    /// Stays at its step after a poll, as the provider asks nothing new.
    ///
    /// - Returns: The time from which on the provider may be asked again.
    mutating func waitOn(at opened: any OpenedFlow, _ pace: Duration, _ now: Timestamp) -> Timestamp {
        phase = .ready
        // The page stays, and so does what was used of it.
        let departures = travel.departures
        stand(at: opened, now)
        // rule: a handle that was used stays used after a poll
        travel.departures = departures
        // rule: a page is polled no faster than half a second | now + pace
        let next = now + max(pace, Self.shortestPace)
        awaits = .poll(from: next)
        return next
    }

    /// Asks the provider no sooner than after a poll that it took, where a part of one may have come there.
    mutating func waitAgain(on page: any OpenedFlow, _ now: Timestamp) {
        guard case .poll(_, let pace) = page.wait else { return }
        // rule: a poll that failed is paced as well | .poll(from: now + pace)
        awaits = .poll(from: now + max(pace, Self.shortestPace))
    }
}
