public import Basics
public import HTTPCore
internal import JSON
internal import OpenIDConnect
public import Orchestrate

/// A DaVinci client bound to one caller.
///
/// Session and tokens are read from and written to the caller's stores, `StorageKey.davinciSession` and `.tokens`.
public struct BoundDaVinci: Sendable {
    /// The shared client.
    public let davinci: DaVinci
    let workflow: BoundWorkflow

    /// The caller that the client acts for.
    public var caller: Caller { workflow.caller }
    private var client: OpenIDClient { davinci.settings.client }

    /// Begins a flow.
    ///
    /// - Parameter options: The options of the flow.
    /// - Returns: The first node, which is a success when PingOne has a session that suffices.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func start(
        _ options: DaVinciStartOptions = DaVinciStartOptions()
    ) async throws(CancellationError) -> FlowStep {
        var context = FlowContext()
        do throws(OpenIDError) {
            guard let extra = options.extra else { throw OpenIDError.configuration("the login hint is too long") }
            let authorization = try await client.authorization(
                AuthorizeOptions(
                    acrValues: options.policy.map { [$0] } ?? [], parameters: extra, uiLocales: options.uiLocales,
                    maxAge: options.maxAge,
                    method: davinci.settings.startsBy, lifetime: Self.longestFlow),
                deadline: caller.deadline)
            context.authorization = authorization
            context[.davinciOrigin] = authorization.endpoint.origin
            context[.davinciRequestURI] = try await client.pushWhereNeeded(
                authorization, responseMode: DaVinciModules.responseMode, deadline: caller.deadline)
        } catch {
            if error == .cancelled { throw CancellationError() }
            return Self.failed(error)
        }
        let languages = AcceptLanguage.build(davinci.settings.languages.applied(to: caller.languages))
        context[.davinciLanguages] = languages.isEmpty ? nil : Self.bounded(languages)
        if options.ignoresSession { context[.davinciIgnoresSession] = true }
        return try await workflow.start(context)
    }

    /// PingOne's limit for the lifetime of a flow.
    private static let longestFlow = Duration.seconds(2 * 86_400)

    /// Shortens a list of languages to at most 256 bytes, without cutting a language in two.
    private static func bounded(_ field: String) -> String {
        guard field.utf8.count > 256 else { return field }
        let head = field.shortened(to: 256)
        return head.utf8.lastIndex(of: UInt8(ascii: ",")).map { String(head[..<$0]) } ?? ""
    }

    /// Answers the page of a flow, or polls it.
    ///
    /// Answers that do not fit the page fail in the phase `request` with `InvalidAnswersError`, and nothing is sent.
    ///
    /// - Parameters:
    ///   - flow: The state of the flow.
    ///   - answers: Values by question id, and the pressed action.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ flow: FlowState, _ answers: Answers = Answers()) async throws(CancellationError) -> FlowStep {
        try await workflow.next(flow, answers)
    }

    /// Sends answers that were checked before, see `Workflow.judge`.
    ///
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func next(_ answered: AnsweredFlow) async throws(CancellationError) -> FlowStep {
        try await workflow.next(answered)
    }

    /// Continues a flow after the browser returned from another identity provider.
    ///
    /// - Parameters:
    ///   - flow: The state of the flow; use it once.
    ///   - returned: The parameters of the return: `continueToken`, or `error` and perhaps `error_description`, each
    ///     once and of 8 KiB at most. An error is shown on the page that the browser left; nothing is sent then.
    /// - Returns: The next node.
    /// - Throws: `CancellationError` when the calling task was cancelled.
    public func resume(_ flow: FlowState, returned: QueryParameters) async throws(CancellationError) -> FlowStep {
        do {
            try DaVinciModules.checkReturn(returned)
            if returned.single("error") != nil {
                let page = try davinci.workflow.open(flow).page
                return FlowStep(
                    node: .error(ErrorNode(status: 302, input: ["error": "returned"], page: page)), flow: flow)
            }
        } catch {
            let cause = error as? EngineError ?? .moduleFailed(.request, error)
            return FlowStep(node: .failure(FailureNode(cause)), flow: flow, leavesFlowUntouched: true)
        }
        return try await workflow.next(flow, Answers(returned: returned))
    }

    /// The stored session; nil when there is none.
    ///
    /// Does not ask if PingOne still has the session.
    ///
    /// - Throws: The store's error.
    public func session() async throws(StorageError) -> DaVinciSession? {
        try await caller.storages[.davinciSession]?.get()
    }

    /// The failure of a start that ended before any request of the flow was sent.
    private static func failed(_ error: OpenIDError) -> FlowStep {
        let cause: EngineError =
            switch error {
            case .notReached: .notReached(.connect)
            case .busy(let wait): .busy(status: 503, retryAfter: wait)
            case .configuration(let what): .configuration(what)
            case .noUsableAnswer: .noUsableAnswer(.malformed)
            // The pushed parameters do not fit the application's settings.
            case .rejected(let code, let status):
                .moduleFailed(.start, DaVinciFlowError(.configuration, "status \(status), code \(code)"))
            case .invalidClient: .moduleFailed(.start, DaVinciFlowError(.configuration, "invalid_client"))
            default: .moduleFailed(.start, error)
            }
        return FlowStep(node: .failure(FailureNode(cause)), flow: FlowState(), leavesFlowUntouched: true)
    }
}
