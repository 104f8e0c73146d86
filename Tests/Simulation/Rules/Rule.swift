/// What must never happen in a world; `docs/simulation.md` says where each stands in the documentation.
enum Rule: String, CaseIterable, Sendable {
    // Whose data it is.
    case foreignUser = "foreign-user"
    case foreignToken = "foreign-token"
    case foreignClient = "foreign-client"
    case foreignCookie = "foreign-cookie"
    case foreignLink = "foreign-link"
    case sessionSent = "session-sent"
    case secret
    case oldCookie = "old-cookie"
    case theft
    case cookieKept = "cookie-kept"
    case elevatedOutside = "elevated-outside"
    case elevatedTooLong = "elevated-too-long"
    case silentStepUp = "silent-step-up"
    case transaction
    case pastLimit = "past-limit"
    case belowMinimum = "below-minimum"
    // What is done once.
    case authIDTwice = "authid-twice"
    case twoAnswers = "two-answers"
    case refreshReuse = "refresh-reuse"
    case unsoundCall = "unsound-call"
    case duringPause = "during-pause"
    case pollEarly = "poll-early"
    case pollEnded = "poll-ended"
    case departureTwice = "departure-twice"
    case arrivalTwice = "arrival-twice"
    case linkTwice = "link-twice"
    // Who leaves, and who comes back.
    case foreignReturn = "foreign-return"
    case returnLost = "return-lost"
    case linkSession = "link-session"
    // What a logout ends.
    case afterLogout = "after-logout"
    case endedFlow = "ended-flow"
    case revokedInUse = "revoked-in-use"
    case replayAfterLogout = "replay-after-logout"
    case orphan
    case unendable
    case revived
    case afterEnd = "after-end"
    case logoutTokenTwice = "logout-token-twice"
    case oddEnd = "odd-end"
    // What streams of events tell.
    case falseEvent = "false-event"
    case streamKept = "stream-kept"
    case queue
    // Who is signed in stays so.
    case false401 = "false-401"
    case signedOut = "signed-out"
    case deadToken = "dead-token"
    case destroyedSignedIn = "destroyed-signed-in"
    case cookieOverwritten = "cookie-overwritten"
    case newerCleared = "newer-cleared"
    case staleSetCookie = "stale-set-cookie"
    // How the server works.
    case hang
    case late
    case waits
    case pollHeld = "poll-held"
    case deadlock
    case livelock
    case alarm
    case oddAnswer = "odd-answer"
    case oddUser = "odd-user"
    case oddCookie = "odd-cookie"
    case oddStep = "odd-step"
    case hollowRefresh = "hollow-refresh"
    case pollNotHeld = "poll-not-held"
    case drained
    case wrongVerdict = "wrong-verdict"
    case wrongRate = "wrong-rate"
    case leftInStore = "left-in-store"
}
