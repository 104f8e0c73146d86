/// One run of a journey at OpenAM.
struct OpenAMRun: Sendable {
    /// `authIndexType` and `authIndexValue` of the start.
    struct Index: Sendable {
        let type: String
        let value: String
    }

    /// Its id is the value of the session that it ends in, unless it upgrades one that keeps its own.
    var journey: JourneyRun
    let index: Index?
    /// `otk` of its authIds; one for all pages, whatever it is called.
    let oneTimeKey = Identifier.random(16)
    /// `sessionUpgradeSSOTokenId`.
    let upgrades: String?
    /// `ForceAuth=true` at the start; later it means nothing.
    let forces: Bool
    /// `noSession=true` at the start; it may come later too.
    let makesNoSession: Bool
    /// How many pages have been shown, those of the present one included.
    var pages = 0
}
