/// The product that a simulator imitates.
package enum SimulatedDialect: String, Sendable, Hashable, CaseIterable {
    /// PingAM and Advanced Identity Cloud, as documented and as their SDKs expect them.
    case ping
    /// OpenAM 16, as observed.
    case openam

    /// The sorted names of the journeys in its realm.
    package var journeys: [String] { (self == .openam ? JourneyCatalogue.openAM : JourneyCatalogue.all).keys.sorted() }
}

/// The settings in which tenants of PingAM differ.
package struct PingSwitches: Sendable, Equatable {
    /// The successful responses of journeys that have an empty `tokenId`.
    package enum EmptyTokenID: String, Sendable, CaseIterable {
        /// No response has an empty `tokenId`.
        case never
        /// Responses to requests with a live session, as AM's documentation of journeys says.
        case session
        /// All responses, as AM's documentation of security says.
        case always
    }

    /// The successful responses of journeys that carry the session in the cookie alone.
    package var emptyTokenID = EmptyTokenID.never
    /// True if authorize answers 401 to a caller without a live session, in place of a redirect to the login page.
    package var authorize401 = false
    /// True for client-side sessions: none ends before its time, even if logout or an upgrade succeeds.
    package var clientSideSessions = false

    /// Creates switches that are all off.
    package init() {}
}
