package import ResourceServer

/// Who may ask `/authz/{requirement}` about bearer tokens, and what is known there.
///
/// The admin listener always answers; the public one only to `peers`.
package struct AuthzSettings: Sendable {
    /// What may be asked for, by name.
    package var requirements: [Requirement]
    /// Whose questions the public listener answers, nobody's by default; `authz.peers`.
    package var peers: [AddressRange]

    /// Whether a subject stands behind its issuer and `#`, so that it names one user among all issuers; `authz.subjects`.
    package var qualifiesSubjects: Bool

    /// Settings without peers: only the admin listener answers.
    package init(requirements: [Requirement] = [], peers: [AddressRange] = [], qualifiesSubjects: Bool = false) {
        self.requirements = requirements
        self.peers = peers
        self.qualifiesSubjects = qualifiesSubjects
    }
}
