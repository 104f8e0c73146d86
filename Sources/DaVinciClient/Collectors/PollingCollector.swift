internal import JSON

extension CollectorKind {
    /// `POLLING`: the user does something elsewhere meanwhile.
    static let polling = CollectorKind(name: "PollingCollector") { field in
        let poll = PollRequest(field)
        let isSpent = field.flag(PollRequest.spent)
        return CollectorContent(.singleValueAuto, isSpent ? .nothing : .poll(poll)) { field in
            [
                "mode": .string(poll.mode.rawValue), "pollInterval": .init(poll.interval),
                PollRequest.left: .init(isSpent ? 0 : poll.retriesLeft),
            ]
        }
    }
}

/// A wait for something that happens elsewhere.
struct PollRequest: Sendable, Equatable {
    /// How it is found out.
    enum Mode: String, Sendable {
        /// The flow is asked, and says either that nothing has happened or what comes next.
        case `continue`
        /// The status of a challenge is asked, until there is one to tell the flow.
        case challenge
        /// The flow is asked to wait for a challenge and names none, or the other way round.
        case broken
    }

    /// The member of a field that is not polled any more; PingOne has none of this name.
    static let spent = "cloakroomSpent"

    /// The member of a question that counts down.
    static let left = "retriesLeft"

    /// The id of the question on its page.
    let id: String
    let mode: Mode
    /// The name under which the flow is told what became of it: that of PingOne's own fields where the form gives none.
    let key: String
    /// The challenge; empty in the other modes.
    let challenge: String
    /// Milliseconds between two polls: 500 to 60,000, and 2,000 where nothing usable is said.
    let interval: Int64
    /// How often it may still be polled: 1 to 600, and 60 where nothing usable is said.
    let retriesLeft: Int64

    init(_ field: CollectorField) {
        id = field.id
        let challenge = field.text("challenge")
        mode =
            switch (field.flag("pollChallengeStatus"), challenge.isEmpty) {
            case (true, false): .challenge
            case (false, true): .continue
            default: .broken
            }
        self.challenge = challenge
        key = field.key ?? "polling"
        interval = field.integer("pollInterval", in: 500...60_000, default: 2000)
        retriesLeft = field.integer("pollRetries", in: 1...600, default: 60)
    }

    /// What the flow is told when nothing but the form itself is looked at; of a challenge, what it is told at the end.
    var ownStatus: String {
        switch mode {
        case .broken: "error"
        case .challenge: "timedOut"
        case .continue: retriesLeft > 1 ? "continue" : "timedOut"
        }
    }
}
