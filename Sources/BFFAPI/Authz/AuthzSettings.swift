package import ResourceServer

/// The peers and requirements of `/authz/{requirement}`, which judges bearer tokens.
///
/// The admin listener answers every caller; the public listener answers `peers` alone.
package struct AuthzSettings: Sendable {
    /// The requirements that a question may name.
    package var requirements: [Requirement]
    /// The peers whose questions the public listener answers; `authz.peers`, default none.
    package var peers: [AddressRange]
    /// How often questions of one caller may need a request to an issuer, nil for no limit; `server.rates.authz`,
    /// default 1200 at once and 6000 a minute.
    ///
    /// A caller is the last hop that the gateway names, or the gateway itself when it names none.
    package var rate: RateLimit? = RateLimit(burst: 1200, perMinute: 6000)

    /// True if answers put the issuer and `#` before the subject, so that the subject is unique among all issuers;
    /// `authz.subjects`.
    package var qualifiesSubjects: Bool

    /// Makes settings; without peers only the admin listener answers.
    package init(requirements: [Requirement] = [], peers: [AddressRange] = [], qualifiesSubjects: Bool = false) {
        self.requirements = requirements
        self.peers = peers
        self.qualifiesSubjects = qualifiesSubjects
    }
}
