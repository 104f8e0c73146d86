package import HTTPServer
package import JOSE

/// How a simulator behaves; the defaults make a realm that works out of the box.
package struct SimulatorSettings: Sendable {
    /// Whose ways it has.
    package let dialect: SimulatedDialect
    /// What tenants of PingAM set differently; only the dialect `ping` looks at it.
    package var ping = PingSwitches()
    /// Where it listens; a free port on 127.0.0.1 unless set.
    package var listener = ListenerSettings()
    /// Scheme, host and port in every address it publishes, without a final slash; nil takes the listener's own.
    package var publicURL: String?
    /// The one realm, without slashes; `/` is the root realm.
    package var realm = "alpha"
    /// The name of the session cookie, published by `serverinfo` and the name of the header that carries a session.
    package var cookieName: String
    /// Who may sign in.
    package var users: [SimulatedUser]
    /// The OAuth clients.
    package var clients: [SimulatedClient]
    /// Wrong passwords in a row that lock a user; warnings are given for the last two before it.
    package var lockoutThreshold = 5
    /// True if authorizations have to be pushed (RFC 9126); only the dialect `ping` looks at it.
    package var requiresPushedRequests = false
    /// For how long a user stays locked.
    package var lockoutDuration = Duration.seconds(300)
    /// The life of one authId.
    package var journeyLifetime = Duration.seconds(300)
    /// How long a session lives without use.
    package var sessionIdle = Duration.seconds(1800)
    /// How long a session lives at most.
    package var sessionLifetime = Duration.seconds(7200)
    /// Whether the former value of a session stays valid after an upgrade; AM does either, by configuration.
    package var keepsSessionAfterUpgrade = false
    /// The code that the journey `StepUp` wants.
    package var oneTimeCode = "424242"
    /// The relying party of credentials of browsers: the host of the pages that use them, or one that those are within.
    ///
    /// Nil takes the host that the simulator is asked for, and `localhost` where that is a number.
    package var relyingParty: String?
    /// Redirect URIs that all clients have beside their own; users come back from another provider to the first one.
    ///
    /// Without any they come back to Cloakroom's `/bff/{instance}/return`.
    package var redirectURIs: [String] = []
    /// Which level of authentication a scope needs; authorize with a weaker session leads to the login page.
    package var scopeLevels = ["WRITE_TRANSACTION": 3]
    /// Which level of authentication an acr value stands for; only the dialect `ping` looks at it.
    package var acrLevels = ["gold": 3]
    /// Which journey an acr value stands for; only the dialect `openam` looks at it.
    package var acrJourneys = ["gold": "StepUp", "silver": "Login", "platinum": "StepUpWithPassword"]
    /// What signs access tokens that are JWTs in the dialect `openam`; nil takes HS256 with a key of the realm.
    package var openAMTokenAlgorithm: JWSAlgorithm?
    /// How many sessions a user may have in the dialect `openam`; nil for any number.
    package var sessionsPerUser: Int?
    /// How long the journey `Polling` asks to wait between polls.
    package var pollingWait = Duration.milliseconds(1000)
    /// How many polls in time end the journey `Polling` well.
    package var pollsNeeded = 2
    /// For how long a refresh token that has been used is taken once more, because the answer may have been lost.
    package var refreshGrace = Duration.zero
    /// How introspection spells what AM spells in several ways.
    package var introspection = IntrospectionShape.scopeText
    /// The PingOne environment on the same port.
    package var pingOne = PingOneSettings()
    /// Whether the last requests are kept in full for tests, secrets included.
    package var keepsRequests = false

    /// The spellings of an introspection answer that are found in the field.
    package enum IntrospectionShape: String, Sendable, CaseIterable {
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

    /// The defaults of a dialect.
    package init(_ dialect: SimulatedDialect = .ping) {
        self.dialect = dialect
        switch dialect {
        case .ping:
            cookieName = "c5a8f09d31e7b264"
            users = SimulatedUser.standard
            clients = SimulatedClient.standard
        case .openam:
            cookieName = "iPlanetDirectoryPro"
            users = SimulatedUser.openAM
            clients = SimulatedClient.openAM
        }
    }

    /// Makes the access tokens of all clients JWTs under RS256, which whoever has the published keys can read.
    package mutating func signAccessTokens() {
        openAMTokenAlgorithm = .RS256
        for index in clients.indices { clients[index].tokenFormat = .jwt }
    }

    /// The realm as answers name it: `/` or `/alpha`.
    var realmName: String { realm == "/" ? "/" : "/" + realm }

    /// The segments of paths that name it in full.
    var realmPath: [String] { realm == "/" ? ["realms", "root"] : ["realms", "root", "realms", realm] }
}
