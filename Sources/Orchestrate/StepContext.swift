/// What a handler sees of the step it works on.
public struct StepContext: Sendable {
    /// Workflow-wide values, written by init handlers only.
    public let shared: SharedContext
    /// Kept across the steps of this flow; empty in signOff.
    public var flow: FlowContext
    /// On whose behalf the step runs; never stored.
    public let caller: Caller
    /// The continue node that is being answered; nil in start and signOff.
    public let page: ContinueNode?
    /// Set by abandon handlers alone: a session that lives on at the provider although nobody keeps it.
    public var orphan: (any Session)?

    init(shared: SharedContext, flow: FlowContext, caller: Caller, page: ContinueNode? = nil) {
        self.shared = shared
        self.flow = flow
        self.caller = caller
        self.page = page
    }
}
