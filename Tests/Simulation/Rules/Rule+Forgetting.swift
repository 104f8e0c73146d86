/// The rules that hold even where the store has forgotten the last writes, as after a fail-over to a replica.
///
/// A cookie may then be unknown, a sign-in lost, a page answered twice, a revocation forgotten, and an end of the last
/// second undone. Whose data it is, how long it is there, and what was ended before does not depend on it.
extension Rule {
    var outlastsForgetting: Bool {
        switch self {
        case .foreignUser, .foreignToken, .foreignClient, .foreignCookie, .foreignLink, .sessionSent, .secret:
            true
        case .oldCookie, .theft, .elevatedOutside, .elevatedTooLong, .silentStepUp, .transaction, .pastLimit,
            .belowMinimum:
            true
        case .afterLogout, .afterEnd, .streamKept, .hang, .late, .deadlock, .livelock, .alarm, .leftInStore: true
        default: false
        }
    }
}
