/// What each rule looks at: the rows of the table of checks that every run of a minute reaches.
///
/// A rule that never looked was not kept, it was not asked: such a run fails.
extension Rule {
    var checks: [String] {
        switch self {  // no default: a new rule must say what it looks at
        case .foreignUser: ["facts of a user"]
        case .foreignToken, .foreignClient, .elevatedOutside: ["a token at the API"]
        case .foreignCookie: ["a cookie that PingOne gets"]
        case .foreignLink: ["a call of PingOne's"]
        case .sessionSent: ["a cookie that PingOne gets where another user may sign in"]
        case .secret: ["an answer that is searched for tokens"]
        case .oldCookie:
            [
                "an answer to a replaced cookie", "a flow that begins in a session",
                "a page that is left with a cookie that was replaced", "the ticket of a cookie that was replaced",
            ]
        case .theft:
            [
                "an answer to a thief", "an answer to a thief whose cookie is over", "facts that a thief gets",
                "a token that goes out for a thief",
            ]
        case .drained: ["a machine that stops"]
        case .wrongVerdict:
            [
                "a question without a token", "a verdict on a good token", "a verdict on a token that is no good",
                "a verdict on the strength of a sign-in",
            ]
        case .wrongRate: ["a call beyond its rate", "a call within its rate"]
        case .cookieKept: ["a sign-in that brings a cookie"]
        case .elevatedTooLong: ["a token of a step-up at the API"]
        case .silentStepUp: ["a grant of a step-up"]
        case .transaction: ["a transaction at the API"]
        case .pastLimit, .belowMinimum: ["facts of a client with limits"]
        case .authIDTwice: ["a step that the provider gets", "a page that PingOne gets answered"]
        case .twoAnswers:
            ["an answer that was given before", "a handle that a flow goes on with", "two arrivals at once"]
        case .refreshReuse: ["a refresh token that is sent"]
        case .unsoundCall: ["a call of PingOne's", "a start that shows nothing", "a sign-off at PingOne"]
        case .duringPause: ["a pause that PingOne wants"]
        case .pollEarly:
            [
                "a poll that the provider gets", "a poll that PingOne gets", "a challenge that PingOne is asked for",
                "two polls at once",
            ]
        case .pollEnded: ["a poll after the end of its wait"]
        case .departureTwice:
            ["a handle by which somebody leaves", "a page that is left while its answer is on its way"]
        case .arrivalTwice: ["somebody who has come back", "a return that PingOne hears of"]
        case .linkTwice: ["a link that is opened"]
        case .foreignReturn: ["a flow that goes on after a return", "a return that the provider hears of"]
        case .returnLost: ["somebody who comes back in time"]
        case .linkSession: ["a link that is opened in another browser"]
        case .afterLogout, .replayAfterLogout: ["facts after a logout"]
        case .endedFlow: ["a flow that was cancelled"]
        case .revokedInUse: ["a token that may have been revoked"]
        case .orphan: ["something that lives at the provider at the end"]
        case .unendable: ["a session that its cookies are to end"]
        case .revived: ["a session that is begun"]
        case .afterEnd: ["facts after an end without a cookie"]
        case .logoutTokenTwice: ["a logout token that was used"]
        case .oddEnd: ["an end without a cookie", "a list of sessions"]
        case .falseEvent: ["an event that the model judges", "a sign-in that a stream tells of"]
        case .streamKept: ["a stream whose session has ended", "a stream that an old cookie asks for"]
        case .queue: ["the queue of revocations"]
        case .false401: ["401 signed-out"]
        case .signedOut: ["a sign-in that is expected to last"]
        case .deadToken: ["a sign-in when faults have stopped"]
        case .destroyedSignedIn: ["a session that is ended"]
        case .cookieOverwritten: ["a cookie that another one takes the place of"]
        case .newerCleared: ["a logout that clears a cookie that came meanwhile"]
        case .staleSetCookie: ["a cookie handed out again"]
        case .hang, .late: ["a request with a deadline"]
        case .waits: ["a request when nothing is slow"]
        case .pollHeld: ["a poll that is held"]
        case .deadlock, .livelock: ["a world that comes to its end"]
        case .alarm: ["a line of a log"]
        case .oddAnswer: ["an answer that the model judges"]
        case .oddUser:
            [
                "a user whom the model knows", "a sign-in whose user the model knows", "an instance of an overview",
                "a sign-in that was confirmed",
            ]
        case .oddCookie: ["an answer that is searched for cookies", "a start in a session"]
        case .oddStep:
            [
                "a step of a flow", "a second answer to a step", "a flow that was cancelled",
                "a flow that another instance asks for", "a return with an error",
            ]
        case .hollowRefresh: ["tokens that were renewed", "forced and unforced renewals at once"]
        case .pollNotHeld: ["a poll that is to be held"]
        case .leftInStore: ["the store a day later"]
        }
    }
}
