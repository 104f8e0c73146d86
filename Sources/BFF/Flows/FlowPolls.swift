import Basics
import Cryptography
import Sessions
import StorageKit

/// A poll: a request that only asks the provider whether the wait of a page is over.
///
/// A class, because tasks hold it beside the request.
final class FlowPoll: Sendable {
    let request: NextRequest
    let found: StoredFlow
    /// The flow at the page that waits, as the request found it.
    let page: any OpenedFlow
    let call: InstanceCall

    init(_ request: NextRequest, found: StoredFlow, page: any OpenedFlow, _ call: InstanceCall) {
        (self.request, self.found, self.page, self.call) = (request, found, page, call)
    }

    /// The poll as a step for the provider, with a deadline of its own.
    ///
    /// The step goes on after the request was answered. If it were cut off, the outcome at the provider would be
    /// unknown.
    var work: StepWork {
        let context = call.context.until(.now + call.client.stepTimeout + .seconds(5))
        var request = request
        // The action of a poll submits no values.
        if case .poll(let question, _) = page.wait, request.answers.action == question { request.answers.values = [:] }
        let call = InstanceCall(instance: call.instance, client: call.client, context: context, audit: call.audit)
        return StepWork(call, found, request, mac: found.record.mac(of: .poll), isPoll: true)
    }
}

/// The wait of a page that goes on after a poll.
struct PollWait: Sendable {
    /// The earliest time of the next poll.
    let due: Timestamp
    /// The flow at the page that waits.
    let page: any OpenedFlow
}

extension FlowSteps {
    /// The page that a request polls; nil if the request is no poll of the page that the flow shows now.
    ///
    /// A request for a page that waits for time, without an answer that ends the wait, is a poll, whether it names the
    /// polling question or not: the provider sees no difference.
    func polledPage(
        _ request: NextRequest, _ flow: FlowRecord, _ client: ClientDefinition
    ) throws(BFFError) -> (any OpenedFlow)? {
        guard case .poll = flow.awaits, flow.step == request.step else { return nil }
        let page = try flows.open(flow, client)
        guard case .poll(let question, _) = page.wait else { return nil }
        return request.answers.action == question || !page.leavesWait(request.answers) ? page : nil
    }

    /// Polls the provider when a poll is due, once for all tabs and processes.
    ///
    /// If the request wants to wait, repeats the poll until the page changes or the time is up.
    ///
    /// A poll after which the wait goes on keeps no answer: the step stays the same, and the next poll is a new
    /// request. The answer that ends the wait is kept like that of any step, and all polls of the step get it.
    func poll(_ poll: FlowPoll, _ opened: OpenedSession) async throws(BFFError) -> Reply<FlowNode> {
        let limit = poll.call.context.deadline - environment.settings.reserve / 2
        let end = min(limit, .now + poll.request.wait)
        let isHeld = poll.request.wait > .zero && environment.work.polls.begin(opened.key, environment.settings)
        defer { if isHeld { environment.work.polls.end(opened.key) } }
        let found = poll.found.record
        let now = environment.now()
        // The decision of `takeStep`, at less cost.
        if !isHeld, found.isEarly(for: poll.request.step, at: now) {
            let node = flows.page(found, poll.page, poll.call.client, at: now)
            waitingPages.keep(node, of: found, at: poll.page, in: opened, now)
            return Reply(node)
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
            // Another request answered the page meanwhile, for example by its exit.
            return Reply(node)
        } catch .flowExpired {
            // Another request may have ended the flow, with an answer that is still kept.
            let call = poll.call
            return Reply(try await flows.flow(call.instance.text, poll.request.flow, call.context))
        }
    }

    /// Waits until a poll is due, the flow changes or the poll's time is up.
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
    /// The answer to a poll after which the page still waits.
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
    /// True if a poll of the step would come before it is due.
    ///
    /// Decides like `decide`, but without a MAC, which `decide` needs for a kept answer.
    func isEarly(for asked: Int, at now: Timestamp) -> Bool {
        guard phase == .ready, asked == step, kept?.step != asked, now < ends, case .poll(let time) = awaits else {
            return false
        }
        return now < time
    }

    /// True if a poll of the flow's page is in flight.
    func isPolled(at now: Timestamp) -> Bool {
        if case .sent(let mac, let deadline) = phase { now < deadline && isPoll(mac) } else { false }
    }

    /// True if the page polls and the MAC is the MAC of its polls.
    func isPoll(_ mac: [UInt8]) -> Bool {
        if case .poll = awaits { constantTimeEquals(mac, self.mac(of: .poll)) } else { false }
    }

    /// The MAC by which a request that is no poll of the current page is recognised.
    ///
    /// It is the MAC of the request's identity. For a request that may be a repeated poll of a step that a poll ended,
    /// it is the MAC of polls.
    func mac(of request: NextRequest) -> [UInt8] {
        if let kept, kept.step == request.step, case .answers = request.identity,
            request.answers.action != nil || request.answers.values.isEmpty,
            case let poll = mac(of: .poll), constantTimeEquals(kept.mac, poll)
        {
            return poll
        }
        return mac(of: request.identity)
    }

    /// The shortest time between two polls of a page, also if the page asks for less: polls must not follow each other
    /// as fast as the provider answers.
    private static let shortestPace = Duration.milliseconds(500)

    /// Stays at the step after a poll, because the provider asks nothing new.
    ///
    /// - Returns: The earliest time of the next poll.
    mutating func waitOn(at opened: any OpenedFlow, _ pace: Duration, _ now: Timestamp) -> Timestamp {
        phase = .ready
        // The page stays, and with it the count of departures from it.
        let departures = travel.departures
        stand(at: opened, now)
        // rule: a handle that was used stays used after a poll
        travel.departures = departures
        // rule: a page is polled no faster than half a second | now + pace
        let next = now + max(pace, Self.shortestPace)
        awaits = .poll(from: next)
        return next
    }

    /// Paces the next poll like one after a poll that the provider took, because parts of a failed poll may have
    /// reached the provider.
    mutating func waitAgain(on page: any OpenedFlow, _ now: Timestamp) {
        guard case .poll(_, let pace) = page.wait else { return }
        // rule: a poll that failed is paced as well | .poll(from: now + pace)
        awaits = .poll(from: now + max(pace, Self.shortestPace))
    }
}
