public import Basics
public import HTTPCore
public import Orchestrate

/// A journey client in the hands of one caller.
///
/// The session is read from and written to the caller's stores, under `StorageKey.session`.
public struct BoundJourney: Sendable {
    /// The shared client.
    public let journey: Journey
    let workflow: BoundWorkflow

    /// On whose behalf it works.
    public var caller: Caller { workflow.caller }

    /// Begins a journey.
    ///
    /// - Parameters:
    ///   - name: Which one; the client's default unless given.
    ///   - options: How it is run; a transaction takes the place of the journey, so none may be named then.
    /// - Returns: The first node, which is a success when a session is there and was not to be ignored.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func start(
        _ name: String? = nil, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        if let id = options.transaction {
            // rule: a transaction names itself alone
            guard name == nil, !id.isEmpty else { return refused("a transaction is run by its id, without a journey") }
            return try await begin(.transaction(id), options)
        }
        guard let name = name ?? journey.settings.defaultJourney, !name.isEmpty else {
            return refused("no journey is named and the client has no default")
        }
        return try await begin(.journey(name), options)
    }

    /// Begins the journey that a policy demands.
    ///
    /// - Parameters:
    ///   - advice: What a gateway said.
    ///   - options: How it is run.
    /// - Returns: The first node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func start(
        advice: PolicyAdvice, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        guard options.transaction == nil else { return refused("an advice is followed without a transaction") }
        return try await begin(.advice(advice.xml), options)
    }

    /// Answers the page of a flow.
    ///
    /// Answers that do not fit the page fail in the phase `request` with `InvalidAnswersError`, and nothing is sent.
    ///
    /// - Parameters:
    ///   - flow: Where the flow stands.
    ///   - answers: Values by question id; unanswered questions go back as they came.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ flow: FlowState, _ answers: Answers = Answers()) async throws(CancellationError) -> FlowStep {
        try await workflow.next(flow, answers)
    }

    /// Sends answers that were judged, see `Workflow.judge`.
    ///
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ answered: AnsweredFlow) async throws(CancellationError) -> FlowStep {
        try await workflow.next(answered)
    }

    /// Continues a journey that waited for a link in a message; a flow of its own.
    ///
    /// - Parameters:
    ///   - suspendedID: The `suspendedId` of the link, decoded; it can be used once.
    ///   - options: How it is run on.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func resume(
        suspendedID: String, _ options: StartOptions = StartOptions()
    ) async throws(CancellationError) -> FlowStep {
        // rule: a link names what was suspended
        guard !suspendedID.isEmpty, options.transaction == nil else {
            return refused("a link is resumed by its suspendedId, without a transaction")
        }
        return try await begin(.suspended(suspendedID), options)
    }

    /// Continues a flow that had sent the browser to another site: the same page goes back, unchanged.
    ///
    /// - Parameters:
    ///   - flow: Where the flow stands; use it once.
    ///   - returned: What the site brought back; unknown or repeated names and a foreign `state` are refused.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func resume(
        _ flow: FlowState, returned: QueryParameters
    ) async throws(CancellationError) -> FlowStep {
        try await workflow.next(flow, Answers(returned: returned))
    }

    /// The stored SSO session, nil when there is none; whether AM still knows it is not asked.
    ///
    /// - Throws: What the store throws.
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
