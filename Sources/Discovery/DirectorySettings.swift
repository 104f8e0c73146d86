/// How long what providers publish is kept, and how often it is asked for.
public struct DirectorySettings: Sendable, Equatable {
    /// After this time metadata are fetched again, 1 hour unless set.
    public var timeToLive: Duration = .seconds(3600)
    /// After this time keys are fetched again, 1 minute unless set: as long may one count that its provider has withdrawn.
    public var keyTimeToLive: Duration = .seconds(60)
    /// How long the last good copy serves while fetching fails, 24 hours unless set.
    public var staleLimit: Duration = .seconds(24 * 3600)
    /// The pause after a failed renewal while a good copy is at hand, 30 seconds unless set.
    public var retryInterval: Duration = .seconds(30)
    /// The shortest time between two fetches of one key set because of unknown key ids in tokens that a provider itself
    /// gave us, 30 seconds unless set.
    public var unknownKeyInterval: Duration = .seconds(30)
    /// How many fetches of one key set may come at once because of unknown key ids in tokens that anybody may have made up,
    /// 6 unless set.
    public var missedFetches = 6
    /// How long it takes until there may be one more of these, 5 seconds unless set.
    public var missedFetchInterval: Duration = .seconds(5)
    /// The shortest time between two fetches of one key set for callers who have a reserved one, 1 minute unless set.
    public var reservedFetchInterval: Duration = .seconds(60)
    /// The pause after a first failure while there is no copy at all, 1 second unless set; each further failure doubles
    /// it, up to `retryInterval`.
    public var firstRetry: Duration = .seconds(1)
    /// How long one fetch may take, 10 seconds unless set; callers with an earlier deadline stop waiting sooner.
    public var fetchTimeout: Duration = .seconds(10)
    /// How long a caller waits for a key that its token names and nobody knows, 2 seconds unless set: such a token may be made
    /// up, and the fetch goes on for the next one.
    public var missedKeyPatience: Duration = .seconds(2)
    /// The most documents that are kept, 256 unless set.
    public var maximumEntries = 256

    /// The settings named above.
    public init() {}
}
