package import HTTPServer
package import JOSE

/// The settings of a simulator; the defaults make a realm that works without changes.
package struct SimulatorSettings: Sendable {
    /// The product that the simulator imitates.
    package let dialect: SimulatedDialect
    /// The settings in which tenants of PingAM differ; only the dialect `ping` uses them.
    package var ping = PingSwitches()
    /// The listener; the default is a free port on 127.0.0.1.
    package var listener = ListenerSettings()
    /// Scheme, host and port in every published URL, without a final slash; nil takes the listener's own.
    package var publicURL: String?
    /// The only realm, without slashes; `/` is the root realm.
    package var realm = "alpha"
    /// The name of the session cookie, published by `serverinfo`; also the name of the header that carries a session.
    package var cookieName: String
    /// The users of the directory.
    package var users: [SimulatedUser]
    /// The OAuth clients.
    package var clients: [SimulatedClient]
    /// The number of wrong passwords in a row that locks a user; the last two before it are answered with a warning.
    package var lockoutThreshold = 5
    /// True if authorization requests have to be pushed (RFC 9126); only the dialect `ping` uses it.
    package var requiresPushedRequests = false
    /// The time for which a user stays locked.
    package var lockoutDuration = Duration.seconds(300)
    /// The lifetime of one authId.
    package var journeyLifetime = Duration.seconds(300)
    /// The idle timeout of a session.
    package var sessionIdle = Duration.seconds(1800)
    /// The maximum lifetime of a session.
    package var sessionLifetime = Duration.seconds(7200)
    /// True if the former token of a session stays valid after an upgrade; AM can be configured either way.
    package var keepsSessionAfterUpgrade = false
    /// The code that the journey `StepUp` accepts.
    package var oneTimeCode = "424242"
    /// The relying party of browser credentials: the host of the pages that use them, or a parent domain of it.
    ///
    /// Nil takes the host of the request, and `localhost` if that is an IP address.
    package var relyingParty: String?
    /// Redirect URIs that all clients have besides their own; users return from another provider to the first one.
    ///
    /// Without any they return to Cloakroom's `/bff/{instance}/return`.
    package var redirectURIs: [String] = []
    /// The authentication level that a scope needs; authorize redirects a weaker session to the login page.
    package var scopeLevels = ["WRITE_TRANSACTION": 3]
    /// The authentication level of an acr value; only the dialect `ping` uses it.
    package var acrLevels = ["gold": 3]
    /// The journey of an acr value; only the dialect `openam` uses it.
    package var acrJourneys = ["gold": "StepUp", "silver": "Login", "platinum": "StepUpWithPassword"]
    /// The algorithm of access tokens that are JWTs in the dialect `openam`; nil takes HS256 with a key of the realm.
    package var openAMTokenAlgorithm: JWSAlgorithm?
    /// The maximum number of a user's sessions in the dialect `openam`; nil for no limit.
    package var sessionsPerUser: Int?
    /// The wait between polls that the journey `Polling` asks for.
    package var pollingWait = Duration.milliseconds(1000)
    /// The number of polls in time after which the journey `Polling` succeeds.
    package var pollsNeeded = 2
    /// The time for which a used refresh token is accepted once more, because the response may have been lost.
    package var refreshGrace = Duration.zero
    /// The form of introspection answers, which AM has in several spellings.
    package var introspection = IntrospectionShape.scopeText
    /// The PingOne environment on the same port.
    package var pingOne = PingOneSettings()
    /// True if the last requests are kept in full for tests, secrets included.
    package var keepsRequests = false

    /// The forms of introspection answers that occur in practice.
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

    /// Creates the default settings of a dialect.
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

    /// Makes the access tokens of all clients JWTs signed with RS256, which the published keys can verify.
    package mutating func signAccessTokens() {
        openAMTokenAlgorithm = .RS256
        for index in clients.indices { clients[index].tokenFormat = .jwt }
    }

    /// The realm as responses name it: `/` or `/alpha`.
    var realmName: String { realm == "/" ? "/" : "/" + realm }

    /// The path segments that name the realm in full.
    var realmPath: [String] { realm == "/" ? ["realms", "root"] : ["realms", "root", "realms", realm] }
}
