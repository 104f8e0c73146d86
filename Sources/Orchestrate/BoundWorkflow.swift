internal import Basics
internal import JSON
internal import Logs

/// A workflow bound to one caller.
public struct BoundWorkflow: Sendable {
    /// The shared engine.
    public let workflow: Workflow
    /// The caller that steps run for.
    public let caller: Caller

    /// Begins a flow.
    ///
    /// - Parameter flow: The values the flow starts with, such as start options.
    /// - Returns: The first node, which may already be a success; every error is a failure node.
    /// - Throws: `CancellationError` when the calling task was cancelled, and only then.
    public func start(_ flow: FlowContext = FlowContext()) async throws(CancellationError) -> FlowStep {
        try await run(StepRun(workflow: workflow, caller: caller, flow: FlowState(context: flow)))
    }

    /// Answers the page of a flow: reads the page, checks the answers and sends them.
    ///
    /// - Parameters:
    ///   - flow: The state of the flow.
    ///   - answers: What the user entered.
    /// - Returns: The next node; every error is a failure node.
    /// - Throws: `CancellationError` when the calling task was cancelled, and only then.
    public func next(_ flow: FlowState, _ answers: Answers = Answers()) async throws(CancellationError) -> FlowStep {
        let answered: AnsweredFlow
        do {
            answered = try workflow.judge(answers, to: workflow.open(flow))
        } catch {
            return failed(error, in: .request, flow)
        }
        return try await next(answered)
    }

    /// Sends answers that `judge(_:to:)` has checked.
    ///
    /// - Returns: The next node; every error is a failure node.
    /// - Throws: `CancellationError` when the calling task was cancelled, and only then.
    public func next(_ answered: AnsweredFlow) async throws(CancellationError) -> FlowStep {
        try await run(StepRun(workflow: workflow, caller: caller, flow: answered.flow.state, answered))
    }

    /// Runs one step; only cancellation is thrown, every other error becomes a failure node.
    private func run(_ step: StepRun) async throws(CancellationError) -> FlowStep {
        do {
            let node = try await step.run()
            return FlowStep(node: node, flow: step.state(after: node), orphan: step.orphan)
        } catch {
            await step.abandon()
            if Task.isCancelled { throw CancellationError() }
            let failure = EngineError(error, in: step.phase)
            var failed = failed(failure, in: step.phase, step.state(after: failure))
            failed.orphan = step.orphan
            return failed
        }
    }

    private func failed(_ failure: EngineError, in phase: EnginePhase, _ flow: FlowState) -> FlowStep {
        workflow.services.logger.debug(
            "step failed", metadata: ["phase": "\(phase.rawValue)", "request.id": "\(caller.requestID)"])
        return FlowStep(
            node: .failure(FailureNode(failure)), flow: flow,
            leavesFlowUntouched: phase.leavesFlowUntouched(failure))
    }
}
