public import Basics

/// The user and request that a step runs for: made per request, never stored.
///
/// A client is shared by all users; everything that differs between them and must not outlive the request is here.
public struct Caller: Sendable {
    /// Language tags in order of preference, from the browser's `Accept-Language`; already checked.
    public var languages: [String]
    /// Further facts about the browser; the product's settings decide which of them go to the provider.
    public var browser: BrowserFacts
    /// The instant at which the step gives up, even if the timeout of a single request allows more.
    public var deadline: ContinuousClock.Instant
    /// The id of the request, which logs carry.
    public var requestID: String
    /// The stores of this caller.
    public var storages: CallerStorages

    /// Makes the caller of one request, which gives up after 30 seconds unless a deadline is given.
    ///
    /// Make a new one for each call.
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
