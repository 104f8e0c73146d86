public import Basics
public import HTTPCore
public import Orchestrate

/// A journey client that is bound to one caller.
///
/// The session is read from and written to the caller's stores, under `StorageKey.session`.
public struct BoundJourney: Sendable {
    /// The shared client.
    public let journey: Journey
    let workflow: BoundWorkflow

    /// The caller on whose behalf the client works.
    public var caller: Caller { workflow.caller }

    /// Starts a journey.
    ///
    /// - Parameters:
    ///   - name: The name of the journey; nil for the client's default journey.
    ///   - options: The options of the run.
    /// - Returns: The first node; a success if the caller has a session and `forceAuth` is not set.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func start(
        _ name: String? = nil, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        guard let name = name ?? journey.settings.defaultJourney, !name.isEmpty else {
            return refused("no journey is named and the client has no default")
        }
        return try await begin(.journey(name), options)
    }

    /// Starts the journey that a policy demands.
    ///
    /// - Parameters:
    ///   - advice: The advice of a gateway.
    ///   - options: The options of the run.
    /// - Returns: The first node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func start(
        advice: PolicyAdvice, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        try await begin(.advice(advice.xml), options)
    }

    /// Answers the page of a flow.
    ///
    /// Answers that do not fit the page fail in the phase `request` with `InvalidAnswersError`, and nothing is sent.
    ///
    /// - Parameters:
    ///   - flow: The state of the flow.
    ///   - answers: Values by question id; unanswered questions go back as received.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ flow: FlowState, _ answers: Answers = Answers()) async throws(CancellationError) -> FlowStep {
        try await workflow.next(flow, answers)
    }

    /// Sends answers that are already checked, see `Workflow.judge`.
    ///
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ answered: AnsweredFlow) async throws(CancellationError) -> FlowStep {
        try await workflow.next(answered)
    }

    /// Resumes a journey that was suspended until the user opens a link in a message; starts a new flow.
    ///
    /// - Parameters:
    ///   - suspendedID: The `suspendedId` of the link, percent-decoded; it can be used once.
    ///   - options: The options of the run.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func resume(
        suspendedID: String, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        // rule: a link names what was suspended
        guard !suspendedID.isEmpty else { return refused("a link without suspendedId cannot be resumed") }
        return try await begin(.suspended(suspendedID), options)
    }

    /// Resumes a flow that redirected the browser to another site, by sending the same page back unchanged.
    ///
    /// - Parameters:
    ///   - flow: The state of the flow; use it once.
    ///   - returned: The query parameters from the other site; unknown or repeated names and a wrong `state` are
    ///     refused.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func resume(
        _ flow: FlowState, returned: QueryParameters
    ) async throws(CancellationError) -> FlowStep {
        try await workflow.next(flow, Answers(returned: returned))
    }

    /// The stored SSO session; nil when there is none.
    ///
    /// AM is not asked whether it still knows the session.
    ///
    /// - Throws: The error of the store.
    public func session() async throws(StorageError) -> SSOSession? {
        try await caller.storages[.session]?.get()
    }

    private func begin(
        _ entry: JourneyOptions.Entry, _ options: StartOptions
    ) async throws(CancellationError) -> FlowStep {
        var options = options
        if options.languages.isEmpty { options.languages = journey.settings.languages.applied(to: caller.languages) }
        var context = FlowContext()
        context[.options] = JourneyOptions(entry, options)
        return try await workflow.start(context)
    }

    private func refused(_ reason: String) -> FlowStep {
        FlowStep(node: .failure(FailureNode(.configuration(reason))), flow: FlowState())
    }
}
