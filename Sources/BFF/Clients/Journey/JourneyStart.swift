/// What a start may say to a journey.
package struct JourneyStart: Sendable, Equatable {
    /// The journey; nil for the client's first.
    package var journey: String?
    /// Runs the whole flow although a provider session exists.
    package var forceAuth: Bool
    /// Makes no provider session; nothing is signed in.
    package var noSession: Bool
    /// The link of a suspended journey, which goes on in place of a new one; nil for a start.
    package var link: JourneyLink?
    /// The id of a backchannel transaction, which is run in place of a journey; nil for a start without one.
    package var transaction: String?

    /// A start of the client's default journey unless said.
    package init(
        journey: String? = nil, forceAuth: Bool = false, noSession: Bool = false, transaction: String? = nil
    ) {
        self.transaction = transaction
        self.journey = journey
        self.forceAuth = forceAuth
        self.noSession = noSession
    }
}

/// What counts of the link of a suspended journey.
package struct JourneyLink: Sendable, Equatable {
    /// What names the journey at AM, once.
    package var suspendedID: String
    /// The realm that the link names; nil where it names none.
    package var realm: String?
    /// The member of the request that it came in.
    package var member: StartMember

    /// The parts of a link.
    package init(suspendedID: String, realm: String? = nil, member: StartMember = .suspendedId) {
        self.suspendedID = suspendedID
        self.realm = realm
        self.member = member
    }
}

/// What may be shown of a session that journeys made.
package struct JourneySessionFacts: Sendable, Equatable {
    /// The realm, `/alpha`; empty when the provider did not say.
    package var realm: String
    /// Where the provider would send the browser; shown only as a same-origin path.
    package var successURL: String

    /// Facts of a provider session.
    package init(realm: String, successURL: String) {
        self.realm = realm
        self.successURL = successURL
    }
}
