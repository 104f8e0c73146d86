import Basics
import Cryptography

/// What becomes of an answer to a step: every case of a new, a repeated and a late one, decided in one function.
enum StepDecision: Sendable, Equatable {
    /// Send it to the provider.
    case send
    /// The same answer is on its way; wait for what comes, until the deadline.
    case wait(until: Timestamp)
    /// It was answered already.
    case replay(FlowRecord.KeptAnswer)
    /// Another answer took the step.
    case stale
    /// Whoever sent it died; nobody knows what the provider did.
    case outcomeUnknown
    /// The flow is over.
    case expired
}

extension FlowRecord {
    /// Decides on an answer to `step` whose body has this MAC.
    func decide(step asked: Int, mac: [UInt8], at now: Timestamp) -> StepDecision {
        if let kept, kept.step == asked, now < kept.until, constantTimeEquals(kept.mac, mac) { return .replay(kept) }
        guard now < ends else { return .expired }
        switch phase {
        case .ended:
            return .expired
        case .ready:
            return asked == step ? .send : .stale
        case .sent(let sent, let deadline):
            if now >= deadline { return .outcomeUnknown }
            return asked == step && constantTimeEquals(sent, mac) ? .wait(until: deadline) : .stale
        }
    }
}
