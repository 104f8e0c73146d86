public import Basics
public import JSON

/// What every operation gets of the HTTP request.
public struct CallContext: Sendable {
    /// The value of our cookie; nil when the browser sent none.
    public var cookie: String?
    /// The browser's languages, best first.
    public var languages: [String]
    /// What else is known of the browser.
    public var browser: BrowserFacts
    /// When the whole request gives up.
    public var deadline: ContinuousClock.Instant
    /// The request's id, for logs and problem documents.
    public var requestID: String

    /// The context of one request.
    public init(
        cookie: String?, languages: [String] = [], browser: BrowserFacts = BrowserFacts(),
        deadline: ContinuousClock.Instant, requestID: String
    ) {
        self.cookie = cookie
        self.languages = languages
        self.browser = browser
        self.deadline = deadline
        self.requestID = requestID
    }
}

/// The body of `start`.
public struct StartRequest: Sendable, Equatable {
    /// What the client's product alone understands.
    public var product = ProductStart.none
    /// Whether the user has to do something although a provider session exists; set by the server alone.
    public var isForced = false
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
    /// The advice of a policy that is followed in place of the client's own flow, as JSON; set by the server alone, for a
    /// transaction that a gateway wants authorised.
    public var advice: String?

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

/// What an operation gives back, and what becomes of the cookie.
public struct Reply<Content: Sendable>: Sendable {
    /// What the operation gives back.
    public let content: Content
    /// What becomes of the browser's cookie.
    public let cookie: CookieChange

    init(_ content: Content, cookie: CookieChange = .keep) {
        self.content = content
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
