public import HTTPServer

/// How a simulator behaves; the defaults make a realm that works out of the box.
public struct SimulatorSettings: Sendable {
    /// Where it listens; a free port on 127.0.0.1 unless set.
    public var listener = ListenerSettings()
    /// Scheme, host and port in every address it publishes, without a final slash; nil takes the listener's own.
    public var publicURL: String?
    /// The one realm, without slashes.
    public var realm = "alpha"
    /// The name of the session cookie, published by `serverinfo` and the name of the header that carries a session.
    public var cookieName = "c5a8f09d31e7b264"
    /// Who may sign in.
    public var users = SimulatedUser.standard
    /// The OAuth clients.
    public var clients = SimulatedClient.standard
    /// Wrong passwords in a row that lock a user; warnings are given for the last two before it.
    public var lockoutThreshold = 5
    /// For how long a user stays locked.
    public var lockoutDuration = Duration.seconds(300)
    /// The life of one authId.
    public var journeyLifetime = Duration.seconds(300)
    /// How long a session lives without use.
    public var sessionIdle = Duration.seconds(1800)
    /// How long a session lives at most.
    public var sessionLifetime = Duration.seconds(7200)
    /// Whether the former value of a session stays valid after an upgrade; AM does either, by configuration.
    public var keepsSessionAfterUpgrade = false
    /// The code that the journey `StepUp` wants.
    public var oneTimeCode = "424242"
    /// Which level of authentication a scope needs; authorize with a weaker session leads to the login page.
    public var scopeLevels = ["WRITE_TRANSACTION": 3]
    /// Which level of authentication an acr value stands for.
    public var acrLevels = ["gold": 3]
    /// How long the journey `Polling` asks to wait between polls.
    public var pollingWait = Duration.milliseconds(1000)
    /// How many polls in time end the journey `Polling` well.
    public var pollsNeeded = 2
    /// For how long a refresh token that has been used is taken once more, because the answer may have been lost.
    public var refreshGrace = Duration.zero
    /// How introspection spells what AM spells in several ways.
    public var introspection = IntrospectionShape.scopeText
    /// Whether the last requests are kept in full for tests, secrets included.
    public var keepsRequests = false

    /// The spellings of an introspection answer that are found in the field.
    public enum IntrospectionShape: String, Sendable, CaseIterable {
        /// `scope` as one text, `auth_level` as a number, `aud` as a text.
        case scopeText
        /// `scope` as an array.
        case scopeArray
        /// `scope` as an array, `auth_level` and a single `amr` as texts.
        case levelText
        /// `aud` as an array.
        case audienceArray
        /// Only `active`, `scope`, `client_id`, `token_type`, `exp` and `sub`.
        case minimal
    }

    /// The defaults.
    public init() {}
}
