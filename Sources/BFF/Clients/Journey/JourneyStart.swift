/// The members of a start that a journey understands.
package struct JourneyStart: Sendable, Equatable {
    /// The name of the journey; nil for the client's first one.
    package var journey: String?
    /// Runs the whole flow although a provider session exists.
    package var forceAuth: Bool
    /// Makes no provider session; nothing is signed in.
    package var noSession: Bool
    /// The link of a suspended journey that the start resumes; nil for a new journey.
    package var link: JourneyLink?
    /// The id of a backchannel transaction that runs in place of a journey; nil for a start without one.
    package var transaction: String?

    /// Makes a start, of the client's default journey unless another is named.
    package init(
        journey: String? = nil, forceAuth: Bool = false, noSession: Bool = false, transaction: String? = nil
    ) {
        self.transaction = transaction
        self.journey = journey
        self.forceAuth = forceAuth
        self.noSession = noSession
    }
}

/// The parts of a suspended journey's link that the start uses.
package struct JourneyLink: Sendable, Equatable {
    /// The id of the suspended journey at AM, good for one use.
    package var suspendedID: String
    /// The realm that the link names; nil where it names none.
    package var realm: String?
    /// The member of the request that contained the link.
    package var member: StartMember

    /// Makes a link from its parts.
    package init(suspendedID: String, realm: String? = nil, member: StartMember = .suspendedId) {
        self.suspendedID = suspendedID
        self.realm = realm
        self.member = member
    }
}

/// The facts of a session of journeys that the browser may see.
package struct JourneySessionFacts: Sendable, Equatable {
    /// The realm, `/alpha`; empty when the provider did not say.
    package var realm: String
    /// The address to which the provider would send the browser; shown only as a same-origin path.
    package var successURL: String

    /// Facts of a provider session.
    package init(realm: String, successURL: String) {
        self.realm = realm
        self.successURL = successURL
    }
}
