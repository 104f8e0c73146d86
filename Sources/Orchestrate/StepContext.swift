/// The context of the step that a handler works on.
public struct StepContext: Sendable {
    /// Workflow-wide values, written by init handlers only.
    public let shared: SharedContext
    /// The values kept across the steps of this flow; empty in signOff.
    public var flow: FlowContext
    /// The caller that the step runs for; never stored.
    public let caller: Caller
    /// The continue node that is being answered; nil in start and signOff.
    public let page: ContinueNode?
    /// A session that lives on at the provider without a record here; only abandon handlers set it.
    public var orphan: (any Session)?

    init(shared: SharedContext, flow: FlowContext, caller: Caller, page: ContinueNode? = nil) {
        self.shared = shared
        self.flow = flow
        self.caller = caller
        self.page = page
    }
}
