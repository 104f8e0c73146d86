import HTTPCore
import JSON

/// A request as a script of the application would make it.
struct Request: Sendable {
    /// What it is called in the trace and in the table of what was exercised.
    let name: String
    /// What it is about, for the trace.
    var detail = ""
    let method: HTTPMethod
    let target: String
    var body: JSONObject?
    /// A form in place of a body.
    var form: String?
    /// `X-BFF-Account`.
    var account: String?
    /// The jar that it goes out with; that of the browser unless set.
    var jar: Jar?
    /// Which instance it is about; nil for several or none.
    var instance: Instance?
    /// Whether it may end or change a sign-in.
    var disturbs = false
    /// How long the answer may be held back.
    var wait = Duration.zero
    /// How long the answer is on its way.
    var lag = Duration.zero
    /// Whether a link is opened where nobody waits for it.
    var isElsewhere = false
    /// Whether a thief makes it, with a cookie of the browser's.
    var isThiefs = false
    /// True if the provider answers its calls late.
    var isHeldBack = false
    /// The flow that a page is left of; nil for any other request.
    var leaves: String?

    /// Whether it answers a step of a flow.
    var answers: Bool { ["next", "poll", "resume"].contains(name) }
    /// Whether it begins a flow.
    var begins: Bool { ["start", "link"].contains(name) }
    /// Whether it is a page that the browser opens, without a script.
    var isNavigation: Bool { ["go", "return"].contains(name) }
    /// Whether it keeps a session alive, of which a beginning, a poll, an end and a route without a sign-in are no use.
    var isUse: Bool { instance != nil && ["user", "refresh", "api", "next", "resume"].contains(name) }

    init(_ name: String, _ method: HTTPMethod, _ target: String) {
        self.name = name
        self.method = method
        self.target = target
    }
}

/// A request as it was made.
struct Sent: Sendable {
    let id: String
    let jar: Jar
    /// Whether it went out with other cookies than those of the browser.
    let isForeign: Bool
    /// Whether a thief made it.
    let isThiefs: Bool
    let began: Duration
    /// When a request before it was about the same instance, or the answer to one came.
    let lastUse: Duration?
    var ended = Duration.zero
}
