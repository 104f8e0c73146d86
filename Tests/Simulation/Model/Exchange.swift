import JSON

/// A request of a browser as the model follows it, from its sending until its answer has left the server.
final class Exchange {
    let request: Request
    let sent: Sent
    /// The sessions that its cookies name.
    let tags: Set<String>
    /// The flow that it names; nil for none.
    let flow: String?
    /// The step that it answers; nil for none.
    let step: Int64?
    /// What it says, to be compared with others.
    let words: String
    /// When its answer left the server; nil until then, and for one that never did.
    private(set) var ended: Duration?
    private(set) var response: Response?
    /// What was known of its sessions before it.
    var before: [String: SignIns] = [:]
    /// Whom an end without a cookie is about; nil for a request of the browser.
    let ending: RemoteEnd?
    /// Whether it ends sign-ins without a cookie, of any session.
    var isRemote: Bool { ending != nil }

    init(_ request: Request, _ sent: Sent, ending: RemoteEnd? = nil) {
        self.ending = ending
        self.request = request
        self.sent = sent
        tags = Set(sent.jar.values.map(GivenCookie.tag))
        let path = request.target.split(separator: "/")
        flow = request.body?["flow"]?.string ?? (path.dropLast().last == "flows" ? path.last.map(String.init) : nil)
        let words = path.dropFirst().first.map { $0.split(separator: ":").map(String.init) } ?? []
        let named = words.first.map { Instance($0, words.dropFirst().first ?? "") }
        instance = request.instance ?? (flow == nil ? nil : named)
        step = request.body?["step"]?.int
        self.words = request.body?.text ?? ""
    }

    var name: String { request.name }
    /// Which instance it is about; nil for several or none.
    let instance: Instance?
    var isOver: Bool { ended != nil }
    /// How it ended; nil without an answer.
    var outcome: String? { response?.outcome }
    var isSuccess: Bool { outcome == "success" && response?.json?["signedIn"]?.bool == true }

    /// Whether it may change who is signed in.
    var changes: Bool { signsIn || ends || isSilent }
    /// Whether it may have a user signed in whose session there is at the provider.
    var isSilent = false
    /// Whether it may sign in.
    var signsIn: Bool { request.answers || request.begins }
    /// Whether it may have signed in at the provider, whatever it was answered: the sign-in of an older cookie is kept and
    /// not told of, one that failed after the last page may have brought a session of which nobody heard, and a flow may
    /// have been cancelled while its answer was on its way.
    var mayHaveSignedIn: Bool {
        let open = [
            "409 session-changed", "410 flow-expired", "failure provider-unavailable", "failure outcome-unknown",
            // The session of a sign-in that is refused took the place of the former one, and was ended.
            "failure step-up-not-reached", "failure account-mismatch",
        ]
        return signsIn && (isSuccess || isUnsure || open.contains(outcome ?? ""))
    }
    /// Whether it may sign out.
    var ends: Bool { isRemote || ["logout", "revoke", "logout-all", "final-logout"].contains(name) }
    /// Whether the server may have done what it does not say: it gave no answer, or one that leaves it open.
    var isUnsure: Bool { ended == nil || (response?.status ?? 0) >= 500 || response?.problem == "step-in-progress" }

    /// Whether it may be about a session that another one is about.
    func touches(_ other: Exchange) -> Bool {
        isRemote || other.isRemote || !tags.isDisjoint(with: other.tags)
    }

    /// Whether its effect may have come while another one was under way; what was left open may come a while later.
    func overlaps(_ other: Exchange) -> Bool {
        sent.began <= other.last && other.sent.began <= last
    }

    /// When its effect has come at the latest.
    var last: Duration {
        guard let ended else { return sent.began + .seconds(200) }
        // The call of a poll goes on when its request has been answered, and may sign in.
        if name == "poll", outcome == "continue" { return ended + .seconds(20) }
        return isUnsure ? ended + .seconds(60) : ended
    }

    func end(_ answer: Answer, at now: Duration) {
        response = answer.response
        if response != nil { ended = now }
    }

    /// The name of a user that it types; nil for none.
    func typed(among users: [String]) -> String? {
        request.body?["values"]?.object?.compactMap { $0.value.string }.first { users.contains($0) }
    }

    /// Whether it answers wrongly on purpose.
    var isWrong: Bool { words.contains("\"wrong\"") || words.contains("\"another\"") }
}
