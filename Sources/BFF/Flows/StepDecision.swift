import Basics
import Cryptography

/// The decision on an answer to a step: every case of a new, a repeated and a late answer, decided in one function.
enum StepDecision: Sendable, Equatable {
    /// Send the answer to the provider.
    case send
    /// An equal answer is in flight, or one of the two is a poll: wait for the outcome, until the deadline.
    case wait(until: Timestamp)
    /// The answer is a poll that comes too early: the provider must not be asked until then.
    case early(until: Timestamp)
    /// The step was answered already with this answer.
    case replay(FlowRecord.KeptAnswer)
    /// Another answer took the step.
    case stale
    /// The sender of the step died: the outcome at the provider is unknown.
    case outcomeUnknown
    /// The flow is over.
    case expired
}

extension FlowRecord {
    /// Decides on an answer to `step` whose body has this MAC.
    func decide(step asked: Int, mac: [UInt8], at now: Timestamp) -> StepDecision {
        // rule: an answer that was given is kept for its body
        if let kept, kept.step == asked, now < kept.until, constantTimeEquals(kept.mac, mac) { return .replay(kept) }
        // rule: a flow is over at its end
        guard now < ends else { return .expired }
        switch phase {
        case .ended:
            return .expired
        case .ready:
            // rule: an answer to a former page is stale
            guard asked == step else { return .stale }
            // rule: a poll before its time does not reach the provider
            if case .poll(let time) = awaits, now < time, isPoll(mac) { return .early(until: time) }
            return .send
        case .sent(let sent, let deadline):
            // rule: a step whose sender died has no known outcome
            if now >= deadline { return .outcomeUnknown }
            // rule: an answer to a former page is stale while another is under way
            guard asked == step else { return .stale }
            // An answer waits for a poll in flight, which may change nothing; a poll waits for an answer.
            return constantTimeEquals(sent, mac) || isPoll(sent) || isPoll(mac) ? .wait(until: deadline) : .stale
        }
    }
}
