/// Why an answer may be given, as far as it may not be given always.
enum Reason {
    case always
    // What goes wrong on purpose.
    /// A call of the store failed, or took long; or a machine does not have the key of the session.
    case store
    /// A call of the provider failed or took long, or its machine went away with an answer of it.
    case provider
    /// Calls have low rates.
    case rate
    /// Machines get other clients, or other settings for them.
    case clients
    /// An API has called a token invalid.
    case api
    /// The provider has ended the session by itself, perhaps between two calls of one sign-in.
    case endedThere
    /// The provider ended the session that a step-up raises.
    case stepUpEndedThere
    /// Somebody has ended the user's sign-ins without a cookie, a moment before or in part.
    case endedElsewhere
    /// The browser went away.
    case left
    // The cookie.
    /// It may have been replaced.
    case replaced
    // Who is signed in.
    /// It may be that nobody is signed in.
    case signedOut
    /// The call needs more than the tokens may show.
    case weak
    /// It is one of the client of step-ups, whose tokens nothing renews but another one.
    case stepsUp
    /// An API may have called the token of a step-up invalid, and the client gets no refresh tokens.
    case invalidStepUp
    /// What it is to step up for is not in its session, or no more.
    case goalOver
    /// Another user may be signed in.
    case otherUser
    // The flow.
    /// It may be over.
    case over
    /// Its step token may be over at the provider.
    case old
    /// Something else may have been sent for the step.
    case past
    /// Something may be on its way for the step.
    case busy
    /// Another sign-in of its session may have come meanwhile.
    case overtaken
    /// A sign-out may have come meanwhile.
    case endedMeanwhile
    /// What was answered was wrong, or something that the provider decides.
    case wrong
    /// The page was left for another site, or waits.
    case waits
    /// It is one of a step-up, or of another user than the one that is signed in.
    case raised
    /// It shows no page.
    case silent
    /// It leads to another provider.
    case foreignLinks
    /// It has no handle that is good.
    case notLeft
}
