/// What a tab does: one or several requests.
enum Operation: String, CaseIterable, Sendable {
    /// A sign-in from its start to its end.
    case signIn
    /// The same at the client that shares the session.
    case signInOther
    /// The same at the client with a short idle time, and a look at it.
    case signInKiosk
    /// A start alone, as of a page that is closed at once.
    case start
    /// The answer to the page shown last.
    case answer
    /// A wrong one.
    case answerWrong
    /// The last answer once more, as it was.
    case answerAgain
    /// One and the same answer twice at a time.
    case answerTwice
    /// The page shown last is read again, as after a reload.
    case readFlow
    case cancelFlow
    case session
    case user
    /// The user with claims asked anew.
    case userAsked
    case refresh
    /// A call that needs a sign-in.
    case api
    /// A call to a route without a token.
    case apiPublic
    /// A call that needs more, and all that it takes to make it.
    case stepUp
    /// A call that a policy wants to have authorised as a transaction, and all that it takes to make it.
    case pay
    /// A sign-in at the client of step-ups by a journey that is weaker than its minimum.
    case signInWeak
    /// The user of a client with limits of its own.
    case userLimited
    case revoke
    case logout
    /// A logout with the provider session.
    case logoutShared
    case logoutAll
    // With a cookie that the server gave out at some time.
    case oldUser
    case oldApi
    case oldStart
    case oldAnswer
    case oldLogout
    /// Somebody copies the cookies, to use them later.
    case steal
    /// The thief asks who is signed in, and calls an API.
    case useStolen
    // In worlds in which users wait for devices, leave for other sites and open links.
    /// A sign-in that a device has to confirm.
    case poll
    /// The same, polled by several tabs.
    case pollTogether
    /// A sign-in at another site.
    case social
    /// A sign-in by a link that was sent.
    case mailLink
    // In wider worlds.
    /// The same twice at one moment.
    case together
    // In worlds with clients of DaVinci.
    /// A sign-in by the pages of a flow, now and then with a wrong password first.
    case flow
    /// The same, with a look at other pages of the flow on the way.
    case flowAround
    /// One page answered twice, or cancelled meanwhile.
    case flowTwice
    /// A sign-in that somebody has to confirm, by one or several tabs.
    case flowWait
    /// A sign-in at another identity provider.
    case flowElsewhere
    /// A call that needs more, and all that it takes to make it.
    case flowStepUp
    /// A sign-in at the client of step-ups by a policy that is weaker than its minimum.
    case flowWeak
    /// A flow whose second page leads to another provider.
    case flowForeign
    /// A silent start.
    case flowSilent
    /// The user of the client that has no refresh tokens, or new ones for it.
    case desk
    /// The user, an API, or new tokens.
    case work
    /// Tokens are revoked, or the user signs out.
    case workEnds
    // In worlds in which requests overlap on purpose.
    /// What two tabs do at the same moment.
    case overlap
    // In worlds in which users do what seldom comes together by chance.
    /// One of these things.
    case rarity

    /// How often each is done, beside the others.
    var weight: Int {
        switch self {
        case .signIn: 16
        case .api: 12
        case .user: 10
        case .stepUp: 8
        case .refresh: 7
        case .start, .answer, .signInOther, .pay, .userLimited: 4
        case .answerAgain, .answerTwice, .signInKiosk: 3
        case .answerWrong, .userAsked, .revoke, .logout, .logoutAll, .session, .oldUser, .oldApi, .useStolen: 2
        case .readFlow, .cancelFlow, .apiPublic, .signInWeak, .logoutShared, .oldStart, .oldAnswer, .oldLogout, .steal:
            1
        default: 0
        }
    }

    /// One of those that only some worlds have.
    static func ofJourneys(_ numbers: inout SeededNumbers) -> Operation {
        numbers.pick([.poll, .pollTogether, .social, .social, .mailLink])
    }

    /// One of those that only worlds with clients of DaVinci have.
    static func ofDaVinci(_ numbers: inout SeededNumbers) -> Operation {
        numbers.pick([
            .flow, .flow, .flow, .flow, .flowAround, .flowTwice, .flowWait, .flowWait, .flowElsewhere, .flowElsewhere,
            .flowStepUp, .flowStepUp, .flowWeak, .flowForeign, .flowSilent, .desk, .desk, .work, .work, .work, .work,
            .workEnds,
        ])
    }

    /// One of them, by their weights.
    static func drawn(_ numbers: inout SeededNumbers) -> Operation {
        var place = numbers.below(allCases.reduce(0) { $0 + $1.weight })
        for operation in allCases {
            if place < operation.weight { return operation }
            place -= operation.weight
        }
        return .signIn
    }
}
