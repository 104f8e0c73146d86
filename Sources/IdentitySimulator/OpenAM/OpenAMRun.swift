/// One run of a journey at OpenAM.
struct OpenAMRun: Sendable {
    /// `authIndexType` and `authIndexValue` of the start.
    struct Index: Sendable {
        let type: String
        let value: String
    }

    /// The journey run, whose id becomes the value of the session, unless the run upgrades a session that keeps its own
    /// value.
    var journey: JourneyRun
    let index: Index?
    /// `otk` of its authIds, which is the same for all pages in spite of its name.
    let oneTimeKey = Identifier.random(16)
    /// `sessionUpgradeSSOTokenId`.
    let upgrades: String?
    /// `ForceAuth=true` at the start; later requests have no say in it.
    let forces: Bool
    /// `noSession=true` at the start; later requests may send it too.
    let makesNoSession: Bool
    /// The number of pages shown, the present one included.
    var pages = 0
}
