/// The outcome of a step: what to show, and what to keep for the next one.
public struct FlowStep: Sendable {
    /// What came out of the step.
    public var node: Node
    /// Where the flow stands now; after a failure that left it untouched this is where it stood before.
    public var flow: FlowState
    /// Whether the step failed before the provider could act on anything of it, so that the same answers may be sent again.
    public var leavesFlowUntouched: Bool
    /// A session that the step brought, that nobody keeps since it failed, and that the modules could not end; nil for none.
    public var orphan: (any Session)?

    /// Makes the outcome of a step.
    public init(
        node: Node, flow: FlowState, leavesFlowUntouched: Bool = false, orphan: (any Session)? = nil
    ) {
        self.node = node
        self.flow = flow
        self.leavesFlowUntouched = leavesFlowUntouched
        self.orphan = orphan
    }
}
