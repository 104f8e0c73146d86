internal import Basics
internal import HTTPCore
internal import JSON

/// One run of a step through the phases.
final class StepRun {
    private let workflow: Workflow
    private let caller: Caller
    private let before: FlowState
    private let answered: AnsweredFlow?
    private var context: StepContext
    /// The current phase, reported as the cause of a failure.
    private(set) var phase = EnginePhase.initialize
    /// The success node, from the provider's successful end of the flow until the step itself succeeds.
    private var reached: SuccessNode?

    init(workflow: Workflow, caller: Caller, flow: FlowState, _ answered: AnsweredFlow? = nil) {
        self.workflow = workflow
        self.caller = caller
        self.before = flow
        self.answered = answered
        context = StepContext(shared: SharedContext(), flow: flow.context, caller: caller, page: answered?.flow.page)
    }

    /// A provider session of a failed step that the modules could not end.
    var orphan: (any Session)? { context.orphan }

    /// Runs all phases.
    func run() async throws -> Node {
        let shared = try await workflow.initialize(deadline: caller.deadline)
        context = StepContext(shared: shared, flow: before.context, caller: caller, page: context.page)
        let request =
            if let answered { try await answerRequest(answered) } else { try await firstRequest() }
        let response = try await exchange(request)
        phase = .transform
        guard let transform = workflow.handlers.transform else { throw WorkflowError.missingTransform }
        var node = try await transform(&context, response)
        if case .success(let success) = node { reached = success }
        phase = .node
        for handler in workflow.handlers.node { try await handler(&context, &node) }
        if case .success(var success) = node {
            reached = success
            phase = .success
            for handler in workflow.handlers.success { try await handler(&context, &success) }
            node = .success(success)
        } else {
            await abandon()
        }
        try checkFlowContext()
        reached = nil
        return node
    }

    private func firstRequest() async throws -> Request {
        phase = .start
        var request = Request()
        for handler in workflow.handlers.start { try await handler(&context, &request) }
        try checkFlowContext()
        return request
    }

    /// Finishes the request that carries the answers, then closes the page: nothing is sent yet.
    private func answerRequest(_ answered: AnsweredFlow) async throws -> Request {
        phase = .request
        let page = answered.flow.page
        defer { page.close() }
        var request = answered.request
        for action in page.actingActions {
            try (action as? any RequestInterceptor)?.intercept(&context, &request, answers: answered.answers)
        }
        phase = .next
        for handler in workflow.handlers.next { try await handler(&context, page, &request) }
        try checkFlowContext()
        return request
    }

    /// Sends the request, then runs the response handlers on any answer.
    private func exchange(_ request: Request) async throws -> Response {
        phase = .transport
        let response: Response
        if let transport = workflow.handlers.transport {
            response = try await transport(&context, request)
        } else {
            response = try await workflow.services.send(
                request, deadline: caller.deadline, requestID: caller.requestID)
        }
        phase = .response
        for handler in workflow.handlers.response { try await handler(&context, response) }
        let isRefusal = response.status == 429 && workflow.handlers.refusal?(response) == true
        if response.status == 503 || response.status == 429, !isRefusal {
            phase = .transport
            let now = workflow.services.time.now()
            let wait = response.header("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
            throw EngineError.busy(status: response.status, retryAfter: wait)
        }
        return response
    }

    /// Lets the modules undo the provider's part, if the provider has ended the flow well.
    ///
    /// Runs in a task of its own, because the calling task may be cancelled.
    ///
    /// The wait ends at the caller's deadline, or 200 ms from now if that is later: a session that is not ended by then
    /// becomes the step's `orphan`, and the caller answers in time.
    func abandon() async {
        let handlers = workflow.handlers.abandon
        guard let node = reached, !handlers.isEmpty else { return }
        reached = nil
        var caller = caller
        let now = ContinuousClock.now
        let limit = max(caller.deadline, now + .milliseconds(200))
        caller.deadline = min(limit, now + min(workflow.services.timeout, .seconds(5)))
        let context = StepContext(shared: context.shared, flow: context.flow, caller: caller, page: context.page)
        self.context.orphan = await Task(executorPreference: CurrentExecutor.preference) {
            var context = context
            for handler in handlers.reversed() { await handler(&context, node) }
            return context.orphan
        }.value
    }

    private func checkFlowContext() throws(EngineError) {
        if let key = context.flow.failure { throw .configuration("the flow value \(key) cannot be stored") }
    }

    /// The state of the flow after a node.
    func state(after node: Node) -> FlowState {
        let page: ContinueNode? =
            switch node {
            case .continue(let page): page
            case .error(let error): error.page
            case .failure, .success: nil
            }
        return FlowState(context: context.flow, page: page?.input.serialized())
    }

    /// The state of the flow after a failure: over, unless the failure left the flow untouched.
    ///
    /// Untouched, it is the state before the step; after a 429 or 503 it also keeps changes of the flow context, such as
    /// cookies.
    func state(after failure: EngineError) -> FlowState {
        guard phase.leavesFlowUntouched(failure) else { return FlowState(context: context.flow) }
        if phase == .transport, case .busy = failure { return FlowState(context: context.flow, page: before.page) }
        return before
    }
}
