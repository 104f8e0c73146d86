/// The members of `start` that one product alone understands; its flow client reads them.
package enum ProductStart: Sendable, Equatable {
    /// The start names nothing, so the client's default flow begins.
    case none
    /// Those of a journey.
    case journey(JourneyStart)

    /// Whether the browser wants the whole flow although a provider session exists.
    var isForced: Bool {
        switch self {
        case .none: false
        case .journey(let start): start.forceAuth
        }
    }

    /// The id of the backchannel transaction that it runs; nil where it runs none.
    var transaction: String? {
        switch self {
        case .none: nil
        case .journey(let start): start.transaction
        }
    }

    /// Whether it goes on with what was suspended, wherever that was.
    var isResumed: Bool {
        switch self {
        case .none: false
        case .journey(let start): start.link != nil
        }
    }
}

/// What may be shown of a provider session.
package enum SessionFacts: Sendable, Equatable {
    /// Of a session that journeys made.
    case journey(JourneySessionFacts)
    /// Of a session that DaVinci flows made: nothing of it is shown.
    case davinci
}
