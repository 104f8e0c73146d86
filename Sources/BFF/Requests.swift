package import Basics
package import JSON
import Orchestrate
import StorageKit

/// What every operation gets of the HTTP request.
package struct CallContext: Sendable {
    /// The value of our cookie; nil when the browser sent none.
    let cookie: String?
    /// The value of the cookie of a session without a sign-in, which counts where the other one opens nothing.
    let startCookie: String?
    /// On whose behalf a client is called, until the whole request gives up; without stores.
    let caller: Caller
    /// Where the call comes from, as far as the server believes it; for the audit alone, no provider is told.
    let address: String?
    /// When the head of the request was there.
    let began: ContinuousClock.Instant

    /// When the whole request gives up.
    package var deadline: ContinuousClock.Instant { caller.deadline }
    /// The request's id, for logs and problem documents.
    var requestID: String { caller.requestID }

    /// The session that the cookie names, whether there is one or not.
    var sessionKey: SessionKey? {
        for case let value? in [cookie, startCookie] {
            if let credential = SessionCredential(cookieValue: value) { return credential.sessionKey }
        }
        return nil
    }

    /// The same for work that is remembered longer than the request lives.
    var withoutCookie: CallContext {
        CallContext(
            cookie: nil, languages: caller.languages, browser: caller.browser, deadline: deadline, requestID: requestID,
            address: address, began: began)
    }

    /// The same for work that goes on when the request has been answered.
    func until(_ deadline: ContinuousClock.Instant) -> CallContext {
        CallContext(
            cookie: cookie, startCookie: startCookie, languages: caller.languages, browser: caller.browser,
            deadline: deadline, requestID: requestID, address: address, began: began)
    }

    /// The context of one request.
    package init(
        cookie: String?, startCookie: String? = nil, languages: [String] = [],
        browser: BrowserFacts = BrowserFacts(), deadline: ContinuousClock.Instant, requestID: String,
        address: String? = nil, began: ContinuousClock.Instant
    ) {
        self.cookie = cookie
        self.began = began
        self.startCookie = startCookie
        self.address = address
        caller = Caller(languages: languages, browser: browser, deadline: deadline, requestID: requestID)
    }
}

/// The body of `start`.
package struct StartRequest: Sendable, Equatable {
    /// What the client's product alone understands.
    package var product = ProductStart.none
    /// Whether the user has to do something although a provider session exists; set by the server alone.
    package var isForced = false
    /// Authentication contexts to ask for.
    package var acrValues: [String] = []
    /// The OpenID `prompt`.
    package var prompt: String?
    /// The OpenID `login_hint`.
    package var loginHint: String?
    /// The OpenID `ui_locales`.
    package var uiLocales: [String] = []
    /// Parameters for the provider, allow-listed by name.
    package var parameters: [String: String] = [:]
    /// Lets the sign-in change the instance's subject.
    package var replace = false
    /// What to step up for: a requirement's name or a `c_…` id of an offer.
    package var goal: String?
    /// How old a sign-in may be that the flow ends with; set by the server alone, for a step-up.
    package var maxAge: Duration?
    /// The name of the target that somebody comes back to who leaves in the flow; nil for the first.
    package var returnTarget: String?
    /// The advice of a policy that is followed in place of the client's own flow, as JSON; set by the server alone, for a
    /// transaction that a gateway wants authorised.
    package var advice: String?

    /// Asks for the client's default flow.
    package init() {}
}

/// A part of a start that may be refused, named as audit lines name it.
package enum StartMember: String, Sendable {
    case journey, forceAuth, noSession, acrValues, prompt, loginHint, parameters, returnTarget
    /// The goal of a step-up.
    case `for`
    /// The link of a suspended flow, and what names the flow in it.
    case uri, suspendedId
    /// The id of a backchannel transaction.
    case transaction
}

/// The body of `next`.
package struct NextRequest: Sendable {
    /// The flow, `f_…`.
    package var flow: String
    /// The step that is answered, from 1.
    package var step: Int
    /// The answers to the questions of the page.
    package var answers: PageAnswers
    /// Tells it apart from other requests to answer the step.
    package var identity: StepIdentity
    /// How long a poll may be held until the page changes; zero for an answer at once.
    package var wait = Duration.zero
    /// Counts an answer to the flow that is no poll, and says how long to wait where there were too many; nil counts none.
    package var countAnswer: (@Sendable () -> Duration?)?
    /// Counts a try with the name of a user, and says how long to wait where there were too many; nil counts none.
    package var countName: (@Sendable (_ name: String) -> Duration?)?

    /// The member that confirms a sign-in of another user.
    package static let confirm = "confirm"

    /// An answer to one step of a flow.
    package init(flow: String, step: Int, answers: PageAnswers, identity: StepIdentity) {
        self.flow = flow
        self.step = step
        self.answers = answers
        self.identity = identity
    }
}

/// The answers to one page.
package struct PageAnswers: Sendable {
    /// Answers by question id.
    package var values: [String: JSONValue]
    /// The id of the question that was pressed; nil when the page was submitted as a whole.
    package var action: String?
    /// What another site has brought back, in place of answers; nil where nobody has left.
    package var returned: [String: String]?
    /// True if the user confirms that the sign-in takes the place of another user, in place of answers.
    package var confirms = false

    /// Answers to one page.
    package init(values: [String: JSONValue] = [:], action: String? = nil) {
        self.values = values
        self.action = action
    }
}

/// What an operation gives back, and what becomes of the cookie.
package struct Reply<Content: Sendable>: Sendable {
    /// What the operation gives back.
    package let content: Content
    /// What becomes of the browser's cookie.
    package let cookie: CookieChange

    init(_ content: Content, cookie: CookieChange = .keep) {
        self.content = content
        self.cookie = cookie
    }
}

/// What becomes of the browser's cookies: that of a session, and that of one in which nobody has signed in.
package enum CookieChange: Sendable, Equatable {
    /// The browser keeps what it has.
    case keep
    /// The browser gets this value for a session without a sign-in, beside the other cookie, if it has that: an answer that
    /// comes late takes nothing away.
    case begin(String)
    /// The browser gets this value for its session, and forgets the other cookie.
    case set(String)
    /// The browser forgets both.
    case clear
}
