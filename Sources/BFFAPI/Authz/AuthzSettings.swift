package import ResourceServer

/// Who may ask `/authz/{requirement}` about bearer tokens, and what is known there.
///
/// The admin listener always answers; the public one only to `peers`.
package struct AuthzSettings: Sendable {
    /// What may be asked for, by name.
    package var requirements: [Requirement]
    /// Whose questions the public listener answers, nobody's by default; `authz.peers`.
    package var peers: [AddressRange]
    /// How often an issuer may have to be asked because of what one caller brings, nil for no limit; `server.rates.authz`,
    /// default 1200 at once and 6000 a minute.
    ///
    /// A caller is the last hop that a gateway says, and the gateway itself where it says none.
    package var rate: RateLimit? = RateLimit(burst: 1200, perMinute: 6000)

    /// Whether a subject stands behind its issuer and `#`, so that it names one user among all issuers; `authz.subjects`.
    package var qualifiesSubjects: Bool

    /// Settings without peers: only the admin listener answers.
    package init(requirements: [Requirement] = [], peers: [AddressRange] = [], qualifiesSubjects: Bool = false) {
        self.requirements = requirements
        self.peers = peers
        self.qualifiesSubjects = qualifiesSubjects
    }
}
