import BFF

/// What a start says to a journey, member by member as the REST API has them.
extension StartRequest {
    private var own: JourneyStart {
        get {
            switch product {
            case .none: JourneyStart()
            case .journey(let start): start
            }
        }
        set { product = newValue == JourneyStart() ? .none : .journey(newValue) }
    }

    /// The journey that is named.
    public var journey: String? {
        get { own.journey }
        set { own.journey = newValue }
    }

    /// Whether the whole flow runs, because the browser or the server wants it.
    public var forceAuth: Bool {
        get { isForced || own.forceAuth }
        set { own.forceAuth = newValue }
    }

    /// Whether no provider session is made.
    public var noSession: Bool {
        get { own.noSession }
        set { own.noSession = newValue }
    }
}
