package import Basics

/// The decision about a request by its ticket: the table of the cookie rotation, called a change here, as one function.
///
/// | Ticket | Change | When | |
/// |---|---|---|---|
/// | neither replaced nor new | – | – | acts |
/// | new | not final | – | confirms the change, then acts |
/// | new | final | – | acts |
/// | replaced | not final, ends the session | – | reverts the change, then acts |
/// | replaced | any | first 10 s | reads what it read before, ends the session |
/// | replaced | not final, answers a step | up to 30 s | collects the answer if it is that step's |
/// | replaced | not final, proves its device | after 10 s | reads what it read before |
/// | replaced | not final, watches | after 10 s | the browser has to retry |
/// | replaced | not final | after 10 s | reverts the change, then acts; or the browser has to retry, see `isSurelyOver` |
/// | replaced | final | after 10 s | dead, until its ticket expires; or the browser has to retry, see `isSurelyOver` |
/// | new | reverted | – | signs out; for any other use it is no ticket |
///
/// A logout of one instance or account does not end the session, so it does not revert a sign-in of another tab.
package enum TicketDecision: Sendable, Equatable {
    /// The request acts.
    case act
    /// The change is confirmed first; then the request acts.
    case confirm
    /// The change is reverted first; then the request acts.
    case revert
    /// The request sees the session as it was before the change, and may end it.
    case readFormer
    /// The request gets the kept answer that carried the new cookie, if it is the request that this answer belongs to.
    case replay
    /// The request gets nothing, because the browser has the newer cookie.
    case dead
}

/// The purpose of a request, as far as it matters to a replaced cookie.
package enum CookieUse: Sendable {
    /// It neither answers a step nor signs out.
    case works
    /// It only watches, and comes by itself, not by an act of the user.
    case watches
    /// It answers a step, and may be the request whose response was lost.
    case answers
    /// It proves the device that the session is bound to, or is to be bound to.
    case provesDevice
    /// It ends the part of one instance or account.
    case endsPart
    /// It ends the whole session.
    case endsSession

    /// True if a cookie counts whose rotation was reverted.
    package var signsOut: Bool { self == .endsPart || self == .endsSession }

    /// True if a session that is bound to a device is opened without the device's proof.
    var isForUnproven: Bool { signsOut || self == .provesDevice }
}

extension TicketClaims {
    /// Decides about a request with this ticket.
    ///
    /// - Parameters:
    ///   - isFinal: True if a request came with the new ticket of the rotation, or if its record is gone.
    ///   - use: The purpose of the request.
    ///   - now: The current time.
    /// - Returns: The decision about the request.
    package func decide(isFinal: Bool, for use: CookieUse, at now: Timestamp) -> TicketDecision {
        guard let rotation else { return .act }
        guard status != .current else { return isFinal ? .act : .confirm }
        // rule: an end of the session takes an unconfirmed change back
        if !isFinal, use == .endsSession { return .revert }
        // rule: a replaced cookie reads for some seconds
        if now < rotation.readsUntil { return .readFormer }
        // rule: a cookie that was replaced for good acts no more
        if isFinal { return .dead }
        // rule: a proof of a device takes no sign-in back
        if use == .provesDevice { return .readFormer }
        // rule: an unconfirmed change answers the step that brought it | .revert
        return use == .answers && now < rotation.replaysUntil ? .replay : .revert
    }
}
