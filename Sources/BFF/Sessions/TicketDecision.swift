import Basics

/// What becomes of a request by the ticket that it comes with: the table of the change of cookie as one function.
///
/// | Ticket | Change | When | |
/// |---|---|---|---|
/// | neither replaced nor new | – | – | acts |
/// | new | not final | – | makes it final, then acts |
/// | new | final | – | acts |
/// | replaced | not final, ends the session | – | takes it back, then acts |
/// | replaced | any | first 10 s | reads what it read before, ends the session |
/// | replaced | not final, answers a step | up to 30 s | collects the answer if it is that step's |
/// | replaced | not final | after 10 s | takes it back, then acts; or is to be repeated, by `showsItsLoss` |
/// | replaced | final | after 10 s | dead, until its ticket goes |
/// | new | taken back | – | signs out; to all else it is no ticket |
///
/// A logout of one instance or account is no end of the session: it takes back no sign-in of another tab.
enum TicketDecision: Sendable, Equatable {
    /// The request does what it came for.
    case act
    /// The change is final from now on; then the request acts.
    case confirm
    /// The change is taken back; then the request acts.
    case revert
    /// The request sees the session as it was before the change, and may end it.
    case readFormer
    /// The request gets the answer that brought the change, if it is the one that asked for it.
    case replay
    /// The request gets nothing: the browser has the newer cookie.
    case dead
}

/// What a request is for, as far as it matters to a cookie that was replaced.
enum CookieUse: Sendable {
    /// It neither answers a step nor signs out.
    case works
    /// Answers a step: it may be the request whose answer was lost.
    case answers
    /// Ends one instance's or account's part of the session.
    case endsPart
    /// Ends the whole session.
    case endsSession

    /// True if a cookie counts whose change was taken back.
    var signsOut: Bool { self == .endsPart || self == .endsSession }
}

extension TicketClaims {
    /// Decides about a request with this ticket.
    ///
    /// - Parameters:
    ///   - isFinal: Whether a request came with the new ticket of the change; a change whose record is gone is final.
    ///   - use: What the request is for.
    ///   - now: The time.
    /// - Returns: What becomes of it.
    func decide(isFinal: Bool, for use: CookieUse, at now: Timestamp) -> TicketDecision {
        guard let change else { return .act }
        guard status != .current else { return isFinal ? .act : .confirm }
        // rule: an end of the session takes an unconfirmed change back
        if !isFinal, use == .endsSession { return .revert }
        // rule: a replaced cookie reads for some seconds
        if now < change.readsUntil { return .readFormer }
        // rule: a cookie that was replaced for good acts no more
        if isFinal { return .dead }
        // rule: an unconfirmed change answers the step that brought it | .revert
        return use == .answers && now < change.replaysUntil ? .replay : .revert
    }
}
