/// The members of `start` that one product alone understands; its flow client reads them.
package enum ProductStart: Sendable, Equatable {
    /// The start names nothing, so the client's default flow begins.
    case none
    /// The members that a journey understands.
    case journey(JourneyStart)

    /// True if the browser wants the whole flow although a provider session exists.
    var isForced: Bool {
        switch self {
        case .none: false
        case .journey(let start): start.forceAuth
        }
    }

    /// The id of the backchannel transaction that the start runs; nil if it runs none.
    var transaction: String? {
        switch self {
        case .none: nil
        case .journey(let start): start.transaction
        }
    }

    /// True if the start resumes a suspended journey.
    var isResumed: Bool {
        switch self {
        case .none: false
        case .journey(let start): start.link != nil
        }
    }
}

/// The facts of a provider session that the browser may see.
package enum SessionFacts: Sendable, Equatable {
    /// The facts of a session of journeys.
    case journey(JourneySessionFacts)
    /// A session of DaVinci flows; nothing of it is shown.
    case davinci
}
