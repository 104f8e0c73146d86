/// The outcome of a step: the node to show, and the state to keep for the next step.
public struct FlowStep: Sendable {
    /// The node that the step led to.
    public var node: Node
    /// The state of the flow after the step; after a failure that left the flow untouched, the state before the step.
    public var flow: FlowState
    /// True if the step failed before the provider processed any of it, so that the same answers may be sent again.
    public var leavesFlowUntouched: Bool
    /// A provider session that a failed step created and the modules could not end; nil for none.
    ///
    /// No record holds it, because the step failed.
    public var orphan: (any Session)?

    /// Makes the outcome of a step from its parts.
    public init(
        node: Node, flow: FlowState, leavesFlowUntouched: Bool = false, orphan: (any Session)? = nil
    ) {
        self.node = node
        self.flow = flow
        self.leavesFlowUntouched = leavesFlowUntouched
        self.orphan = orphan
    }
}
