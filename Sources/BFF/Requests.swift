package import Basics
package import JSON
import Orchestrate
package import Sessions
import StorageKit

/// The facts of the HTTP request that every operation gets.
package struct CallContext: Sendable {
    /// The session cookies, and the instant at which the head of the request was read.
    let cookies: SessionCookies
    /// The caller of flow clients, with the deadline of the whole request; it has no storages.
    let caller: Caller
    /// The address of the caller, as far as the server trusts it; for the audit alone, no provider gets it.
    let address: String?

    /// The instant at which the whole request gives up.
    package var deadline: ContinuousClock.Instant { caller.deadline }
    /// The request's id, for logs and problem documents.
    var requestID: String { caller.requestID }
    /// The value of the session cookie; nil when the browser sent none.
    var cookie: String? { cookies.session }
    /// The session that the cookies name, whether or not it exists.
    var sessionKey: SessionKey? { cookies.sessionKey }

    /// A copy without cookies, for work that is remembered longer than the request lives.
    var withoutCookie: CallContext {
        CallContext(
            cookie: nil, languages: caller.languages, browser: caller.browser, deadline: deadline, requestID: requestID,
            address: address, began: cookies.began)
    }

    /// A copy with another deadline, for background work after the response.
    func until(_ deadline: ContinuousClock.Instant) -> CallContext {
        CallContext(
            cookie: cookie, startCookie: cookies.start, device: cookies.device, languages: caller.languages,
            browser: caller.browser, deadline: deadline, requestID: requestID, address: address, began: cookies.began)
    }

    /// The context of one request.
    package init(
        cookie: String?, startCookie: String? = nil, device: SentDeviceProof = SentDeviceProof(),
        languages: [String] = [], browser: BrowserFacts = BrowserFacts(), deadline: ContinuousClock.Instant,
        requestID: String,
        address: String? = nil, began: ContinuousClock.Instant
    ) {
        cookies = SessionCookies(session: cookie, start: startCookie, device: device, began: began)
        self.address = address
        caller = Caller(languages: languages, browser: browser, deadline: deadline, requestID: requestID)
    }
}

/// The body of `start`.
package struct StartRequest: Sendable, Equatable {
    /// The members of the start that only the client's product reads.
    package var product = StartMembers()
    /// True if the start resumes a suspended flow by its link.
    package var isResumed = false
    /// The id of a backchannel transaction that runs in place of a flow of the client; nil for none.
    package var transaction: String?
    /// True if the user has to act although a provider session exists; set by the server alone.
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
    /// True if the sign-in may change the instance's subject.
    package var replace = false
    /// The goal of a step-up: a requirement's name or the `c_…` id of an offer.
    package var goal: String?
    /// The greatest age of the sign-in that the flow ends with; set by the server alone, for a step-up.
    package var maxAge: Duration?
    /// The name of the target that the browser comes back to after a redirect out of the flow; nil for the first
    /// target.
    package var returnTarget: String?
    /// The advice of a policy, as JSON, that is followed in place of the client's own flow.
    ///
    /// Set by the server alone, for a transaction that a gateway wants authorised.
    package var advice: String?

    /// Asks for the client's default flow.
    package init() {}
}

/// A member of a start that may be refused, named as in the body and in audit lines.
package struct StartMember: RawRepresentable, Sendable, Equatable {
    /// The name in the body.
    package let rawValue: String
    /// True if the member is a link to a suspended flow.
    package let isLink: Bool

    /// Names a member; a product names those that it alone has.
    package init(rawValue: String) { self.init(rawValue: rawValue, isLink: false) }

    init(rawValue: String, isLink: Bool) {
        self.rawValue = rawValue
        self.isLink = isLink
    }

    private init(_ member: Common) { self.init(rawValue: member.rawValue) }

    /// The members that a start of every product may have.
    private enum Common: String {
        case acrValues, prompt, loginHint, parameters, returnTarget, `for`, transaction
    }

    package static let acrValues = StartMember(.acrValues)
    package static let prompt = StartMember(.prompt)
    package static let loginHint = StartMember(.loginHint)
    package static let parameters = StartMember(.parameters)
    package static let returnTarget = StartMember(.returnTarget)
    /// The goal of a step-up.
    package static let `for` = StartMember(.for)
    /// The id of a backchannel transaction.
    package static let transaction = StartMember(.transaction)
}

/// The body of `next`.
package struct NextRequest: Sendable {
    /// The flow, `f_…`.
    package var flow: String
    /// The step that is answered, from 1.
    package var step: Int
    /// The answers to the questions of the page.
    package var answers: PageAnswers
    /// Tells the request apart from other requests that answer the step.
    package var identity: StepIdentity
    /// The time for which a poll may be held until the page changes; zero for an answer at once.
    package var wait = Duration.zero
    /// Counts an answer to the flow that is not a poll, and returns how long to wait after too many; nil counts none.
    package var countAnswer: (@Sendable () -> Duration?)?
    /// Counts a try with a user's name, and returns how long to wait after too many; nil counts none.
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
    /// The parameters that a redirect from another site brought back, in place of answers; nil where the user did not
    /// leave.
    package var returned: [String: String]?
    /// The page in the provider's own form, with its inputs filled, in place of answers; nil where the answers came by
    /// question.
    ///
    /// `FlowSteps` reads the answers out of it before anything is decided.
    package var filledPage: JSONObject?
    /// True if the user confirms that the sign-in takes the place of another user, in place of answers.
    package var confirms = false

    /// Answers to one page.
    package init(values: [String: JSONValue] = [:], action: String? = nil) {
        self.values = values
        self.action = action
    }
}

/// The result of an operation, with the change of the browser's cookie.
package struct Reply<Content: Sendable>: Sendable {
    /// The result of the operation.
    package let content: Content
    /// The change of the browser's cookie.
    package let cookie: CookieChange

    init(_ content: Content, cookie: CookieChange = .keep) {
        self.content = content
        self.cookie = cookie
    }
}

/// A change of the browser's cookies: the session cookie, and the cookie of a session without a sign-in.
package enum CookieChange: Sendable, Equatable {
    /// The browser keeps the cookies that it has.
    case keep
    /// The browser gets this value as the cookie of a session without a sign-in; it keeps its session cookie, if it has
    /// one.
    ///
    /// So an answer that comes late takes nothing away.
    case begin(String)
    /// The browser gets this value as its session cookie, and forgets the other cookie; it may bind the session to its
    /// device.
    case set(String, device: DeviceOffer? = nil)
    /// The browser forgets both cookies.
    case clear
}
