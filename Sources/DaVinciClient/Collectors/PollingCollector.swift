internal import JSON

extension CollectorKind {
    /// `POLLING`: the page waits while the user does something elsewhere.
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

/// A poll of a page, for an event that happens elsewhere.
struct PollRequest: Sendable, Equatable {
    /// How the poll learns about the event.
    enum Mode: String, Sendable {
        /// Asks the flow, which answers that nothing has happened, or with the next page.
        case `continue`
        /// Asks for the status of a challenge until it is final, then sends the status to the flow.
        case challenge
        /// The field asks to wait for a challenge and names none, or names one without asking to wait.
        case broken
    }

    /// The member that marks a field that is not polled any more; PingOne has no member of this name.
    static let spent = "cloakroomSpent"

    /// The member of a question that counts down.
    static let left = "retriesLeft"

    /// The id of the question, unique on the page.
    let id: String
    let mode: Mode
    /// The key under which the status is sent to the flow; a default key where the form has none.
    let key: String
    /// The id of the challenge; empty in the other modes.
    let challenge: String
    /// Milliseconds between two polls: 500 to 60,000; 2,000 where the form has no valid number.
    let interval: Int64
    /// The number of polls left: 1 to 600; 60 where the form has no valid number.
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

    /// The status to send when only the form is known; for a challenge, the status after the last poll.
    var ownStatus: String {
        switch mode {
        case .broken: "error"
        case .challenge: "timedOut"
        case .continue: retriesLeft > 1 ? "continue" : "timedOut"
        }
    }
}
