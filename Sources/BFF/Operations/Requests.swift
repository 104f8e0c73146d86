public import JSON
public import JourneyClient

/// What every operation gets of the HTTP request.
public struct CallContext: Sendable {
    /// The value of our cookie; nil when the browser sent none.
    public var cookie: String?
    /// The browser's languages, best first.
    public var languages: [String]
    /// When the whole request gives up.
    public var deadline: ContinuousClock.Instant
    /// The request's id, for logs and problem documents.
    public var requestID: String
    /// The W3C trace context to pass on.
    public var traceparent: String?

    /// The context of one request.
    public init(
        cookie: String?, languages: [String] = [], deadline: ContinuousClock.Instant, requestID: String,
        traceparent: String? = nil
    ) {
        self.cookie = cookie
        self.languages = languages
        self.deadline = deadline
        self.requestID = requestID
        self.traceparent = traceparent
    }
}

/// The body of `start` (design/api.md 1).
public struct StartRequest: Sendable, Equatable {
    /// The journey; nil for the client's first.
    public var journey: String?
    /// Runs the whole flow although a provider session exists.
    public var forceAuth = false
    /// Makes no provider session; nothing is signed in.
    public var noSession = false
    /// Authentication contexts to ask for.
    public var acrValues: [String] = []
    /// The OpenID `prompt`.
    public var prompt: String?
    /// The OpenID `login_hint`.
    public var loginHint: String?
    /// The OpenID `ui_locales`.
    public var uiLocales: [String] = []
    /// Parameters for the provider, allow-listed by name.
    public var parameters: [String: String] = [:]
    /// Lets the sign-in change the instance's subject.
    public var replace = false
    /// What to step up for: a requirement's name or a `c_…` id of an offer.
    public var goal: String?
    /// The policy advice that is followed in place of a journey; set by the server alone, for a transaction that a gateway
    /// wants authorised (protocol/journey.md 8.4).
    public var advice: PolicyAdvice?

    /// Asks for the client's default flow.
    public init() {}
}

/// The body of `next`.
public struct NextRequest: Sendable {
    /// The flow, `f_…`.
    public var flow: String
    /// The step that is answered, from 1.
    public var step: Int
    /// The answers.
    public var answers: PageAnswers
    /// The body as received: the same bytes again are the same request.
    public var body: [UInt8]

    /// An answer to one step of a flow.
    public init(flow: String, step: Int, answers: PageAnswers, body: [UInt8]) {
        self.flow = flow
        self.step = step
        self.answers = answers
        self.body = body
    }
}

/// The answers to one page.
public struct PageAnswers: Sendable {
    /// Answers by question id.
    public var values: [String: JSONValue]
    /// The id of the question that was pressed; nil when the page was submitted as a whole.
    public var action: String?

    /// Answers to one page.
    public init(values: [String: JSONValue] = [:], action: String? = nil) {
        self.values = values
        self.action = action
    }
}

/// What an operation gives back: a JSON document and what becomes of the cookie.
public struct Reply: Sendable {
    /// The JSON document; empty for 204.
    public var body: [UInt8]
    /// What becomes of the browser's cookie.
    public var cookie: CookieChange

    init(_ body: [UInt8] = [], cookie: CookieChange = .keep) {
        self.body = body
        self.cookie = cookie
    }
}

/// What becomes of the browser's cookie.
public enum CookieChange: Sendable, Equatable {
    /// It stays.
    case keep
    /// The browser gets this value.
    case set(String)
    /// The browser forgets it.
    case clear
}
