/// The product whose ways a simulator has.
package enum SimulatedDialect: String, Sendable, Hashable, CaseIterable {
    /// PingAM and Advanced Identity Cloud, as documented and as their SDKs expect them.
    case ping
    /// OpenAM 16, as observed.
    case openam

    /// The names of the journeys that its realm has, sorted.
    package var journeys: [String] { (self == .openam ? JourneyCatalogue.openAM : JourneyCatalogue.all).keys.sorted() }
}

/// What tenants of PingAM set differently.
package struct PingSwitches: Sendable, Equatable {
    /// Which successful calls of a journey answer an empty `tokenId`.
    package enum EmptyTokenID: String, Sendable, CaseIterable {
        /// No answer has an empty `tokenId`.
        case never
        /// Those that brought a living session, as the page about journeys says.
        case session
        /// All, as the page about security says.
        case always
    }

    /// Which successful calls of a journey leave the session to the cookie.
    package var emptyTokenID = EmptyTokenID.never
    /// Whether authorize answers 401 to a caller without a living session, instead of leading to the login page.
    package var authorize401 = false
    /// Whether sessions lie with the client: none ends before its time, whatever logout and upgrades answer.
    package var clientSideSessions = false

    /// Makes switches that are all off.
    package init() {}
}
