internal import Basics
internal import JSON

/// One run of a flow.
struct FlowRun: Sendable {
    /// `interactionId` of the body; the cookie of that name has another value, by which the run is kept.
    private(set) var id = Identifier.tracking()
    private(set) var cookie = Identifier.tracking()
    let request: PingOneRequest
    /// The session that the start brought.
    let session: String?
    let started: Timestamp
    /// `interactionToken` of the newest page, and the value of the cookie.
    var token = ""
    var cookieToken = ""
    /// The page that is shown.
    var page: FlowPage
    /// How often each node was answered.
    var answered: [String: Int] = [:]
    var isOver = false

    /// Who signs in, once that is known.
    var user: String?
    /// What a policy keeps from page to page.
    var notes: [String: String] = [:]
    /// Before this, a poll is too early.
    var pollFrom: Timestamp?
    var polls = 0
    /// What is being asked elsewhere.
    var challenge: String?

    init(_ request: PingOneRequest, session: String?, now: Timestamp) {
        self.request = request
        self.session = session
        started = now
        page = FlowPage("", "")
    }

    /// `id` of the page: the same for the same page of the same policy.
    var node: String { String(PingOneID.hex("node \(request.policy) \(page.place)").prefix(10)) }

    /// Goes on as another interaction.
    mutating func beginAnew() {
        id = Identifier.tracking()
        cookie = Identifier.tracking()
    }

    /// Puts a page in the place of the former one, with new tokens.
    mutating func show(_ page: FlowPage) {
        self.page = page
        token = Identifier.random(96)
        cookieToken = Identifier.random(96)
    }
}
