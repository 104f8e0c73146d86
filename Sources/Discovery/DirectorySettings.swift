/// How long documents of providers are cached, and how often they are fetched.
public struct DirectorySettings: Sendable, Equatable {
    /// Metadata older than this are fetched again, 1 hour unless set.
    public var timeToLive: Duration = .seconds(3600)
    /// Keys older than this are fetched again, 1 minute unless set; a withdrawn key may be accepted for this long.
    public var keyTimeToLive: Duration = .seconds(60)
    /// How long the last good copy is served while fetching fails, 24 hours unless set.
    public var staleLimit: Duration = .seconds(24 * 3600)
    /// The pause after a failed renewal while a good copy is cached, 30 seconds unless set.
    public var retryInterval: Duration = .seconds(30)
    /// The shortest time between two fetches of one key set for unknown key ids in tokens that came from the provider
    /// itself, 30 seconds unless set.
    public var unknownKeyInterval: Duration = .seconds(30)
    /// How many fetches of one key set may happen in a burst for unknown key ids in tokens of unverified origin, 6
    /// unless set.
    public var missedFetches = 6
    /// The time after which one more fetch of `missedFetches` is available, 5 seconds unless set.
    public var missedFetchInterval: Duration = .seconds(5)
    /// The shortest time between two reserved fetches of one key set, 1 minute unless set.
    ///
    /// Only callers whose tokens were good before may use a reserved fetch.
    public var reservedFetchInterval: Duration = .seconds(60)
    /// The pause after a first failure while no copy is cached, 1 second unless set; each further failure doubles it,
    /// up to `retryInterval`.
    public var firstRetry: Duration = .seconds(1)
    /// How long one fetch may take, 10 seconds unless set; callers with an earlier deadline stop waiting sooner.
    public var fetchTimeout: Duration = .seconds(10)
    /// How long a caller waits for the fetch of a key id that the cached set lacks, 2 seconds unless set.
    ///
    /// The token may be made up. The fetch continues for later callers.
    public var missedKeyPatience: Duration = .seconds(2)
    /// The most documents that are cached, 256 unless set.
    public var maximumEntries = 256

    /// Settings with the default values.
    public init() {}
}
