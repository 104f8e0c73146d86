public import Basics

/// On whose behalf a step runs: made per request, never stored.
///
/// A client is shared by all users; everything that differs between them and must not outlive the request is here.
public struct Caller: Sendable {
    /// Language tags in order of preference, from the browser's `Accept-Language`; already checked.
    public var languages: [String]
    /// What else is known of the browser; the product's settings say what of it the provider is told.
    public var browser: BrowserFacts
    /// Gives up at this instant, whatever single requests may still be allowed.
    public var deadline: ContinuousClock.Instant
    /// The id under which logs of this request are found.
    public var requestID: String
    /// The stores of this caller.
    public var storages: CallerStorages

    /// A caller of one request, which gives up after 30 seconds unless a deadline is given: make one for each call.
    public init(
        languages: [String] = [], browser: BrowserFacts = BrowserFacts(),
        deadline: ContinuousClock.Instant = .now + .seconds(30), requestID: String = "",
        storages: CallerStorages = CallerStorages()
    ) {
        self.languages = languages
        self.browser = browser
        self.deadline = deadline
        self.requestID = requestID
        self.storages = storages
    }
}
