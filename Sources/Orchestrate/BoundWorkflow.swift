internal import Basics
internal import JSON
internal import Logs

/// A workflow in the hands of one caller.
public struct BoundWorkflow: Sendable {
    /// The shared engine.
    public let workflow: Workflow
    /// On whose behalf steps run.
    public let caller: Caller

    /// Begins a flow.
    ///
    /// - Parameter flow: What the flow shall carry from the beginning, such as start options.
    /// - Returns: The first node, which may already be a success; every error is a failure node.
    /// - Throws: `CancellationError` when the calling task was cancelled, and only then.
    public func start(_ flow: FlowContext = FlowContext()) async throws(CancellationError) -> FlowStep {
        try await step(FlowState(context: flow), answers: nil)
    }

    /// Answers the page of a flow.
    ///
    /// - Parameters:
    ///   - flow: Where the flow stands.
    ///   - answers: What the user entered.
    /// - Returns: The next node; every error is a failure node.
    /// - Throws: `CancellationError` when the calling task was cancelled, and only then.
    public func next(_ flow: FlowState, _ answers: Answers = Answers()) async throws(CancellationError) -> FlowStep {
        guard flow.page != nil else { return FlowStep(node: .failure(FailureNode(.flowOver)), flow: flow) }
        return try await step(flow, answers: answers)
    }

    /// One step; of its errors only cancellation leaves it.
    private func step(_ flow: FlowState, answers: Answers?) async throws(CancellationError) -> FlowStep {
        var step = Step(workflow: workflow, caller: caller, flow: flow, answers: answers)
        do {
            let node = try await step.run()
            return FlowStep(node: node, flow: step.state(after: node))
        } catch {
            let phase = step.phase
            if let node = step.reached { await step.abandon(node) }
            if Task.isCancelled { throw CancellationError() }
            let failure = EngineFailure(error, in: phase)
            workflow.services.logger.debug(
                "step failed", metadata: ["phase": "\(phase.rawValue)", "request.id": "\(caller.requestID)"])
            return FlowStep(node: .failure(FailureNode(failure)), flow: step.state(after: failure, in: phase))
        }
    }
}
