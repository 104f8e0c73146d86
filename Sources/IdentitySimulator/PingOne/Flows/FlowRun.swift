internal import Basics
internal import JSON

/// One run of a flow.
struct FlowRun: Sendable {
    /// `interactionId` of the body; the cookie `interactionId` has another value, which is the key of the run.
    private(set) var id = Identifier.tracking()
    private(set) var cookie = Identifier.tracking()
    let request: PingOneRequest
    /// The token of the session that the start request carried.
    let session: String?
    let started: Timestamp
    /// `interactionToken` of the newest page, and the value of the cookie.
    var token = ""
    var cookieToken = ""
    /// The page that is shown.
    var page: FlowPage
    /// The number of answers to each node.
    var answered: [String: Int] = [:]
    var isOver = false

    /// The user, once the flow knows the name.
    var user: String?
    /// Notes that a policy keeps from page to page.
    var notes: [String: String] = [:]
    /// The instant before which a poll is early.
    var pollFrom: Timestamp?
    var polls = 0
    /// The id of the challenge that is open on another device.
    var challenge: String?

    init(_ request: PingOneRequest, session: String?, now: Timestamp) {
        self.request = request
        self.session = session
        started = now
        page = FlowPage("", "")
    }

    /// `id` of the page, which depends only on the policy and the page.
    var node: String { String(PingOneID.hex("node \(request.policy) \(page.place)").prefix(10)) }

    /// Continues the run as a new interaction.
    mutating func beginAnew() {
        id = Identifier.tracking()
        cookie = Identifier.tracking()
    }

    /// Replaces the page, with new tokens.
    mutating func show(_ page: FlowPage) {
        self.page = page
        token = Identifier.random(96)
        cookieToken = Identifier.random(96)
    }
}
