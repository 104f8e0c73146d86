public import ResourceServer

/// Who may ask `/authz/{requirement}` about bearer tokens, and what is known there.
///
/// The admin listener always answers; the public one only to `peers`.
public struct AuthzSettings: Sendable {
    /// What may be asked for, by name.
    public var requirements: [Requirement]
    /// Whose questions the public listener answers, nobody's by default; `authz.peers`.
    public var peers: [AddressRange]

    /// Settings without peers: only the admin listener answers.
    public init(requirements: [Requirement] = [], peers: [AddressRange] = []) {
        self.requirements = requirements
        self.peers = peers
    }
}
