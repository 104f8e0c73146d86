public import Basics
public import HTTPCore

/// A phase of a workflow, named as in Ping's SDKs; tells where a module failed.
public enum EnginePhase: String, Sendable, CaseIterable {
    /// Running the init handlers, once per workflow.
    case initialize
    /// Building the first request.
    case start
    /// Rebuilding the page, checking the answers and turning them into a request.
    case request
    /// Changing the request that carries answers.
    case next
    /// Sending the request.
    case transport
    /// Running the response handlers on the answer.
    case response
    /// Turning the answer into a node.
    case transform
    /// Changing the node.
    case node
    /// Finishing a success node.
    case success
    /// Ending the session.
    case signOff

    /// True if the provider has answered the step when this phase runs.
    var isAnswered: Bool { [.response, .transform, .node, .success].contains(self) }

    /// True if a failure in this phase leaves the flow untouched: the provider processed nothing of the step, so the
    /// same answers may be sent again.
    ///
    /// Before the request is sent that holds for any failure, because the requests that modules send by then change no
    /// flow. While it is sent, it holds for a request that cannot be sent, that never reached the provider, or that the
    /// provider refused as too much (429 or 503). This is the only place that decides it.
    func leavesFlowUntouched(_ failure: EngineError) -> Bool {
        if case .flowOver = failure { return false }
        return switch self {
        case .initialize, .start, .request, .next: true
        case .transport:
            switch failure {
            case .notReached, .busy, .configuration: true
            default: false
            }
        case .response, .transform, .node, .success, .signOff: false
        }
    }
}

/// Why a step has no regular outcome.
///
/// The cause alone does not say if the step may be sent again, see `FlowStep.leavesFlowUntouched`.
public enum EngineError: Error, Sendable {
    /// The request never reached the provider.
    case notReached(ExchangeError)
    /// The request was sent, in whole or in part, and no usable answer came.
    case noUsableAnswer(ExchangeError)
    /// The provider answered 429 or 503.
    case busy(status: Int, retryAfter: Duration?)
    /// A status that the protocol does not define, with the first bytes of the body.
    case unexpectedStatus(Int, excerpt: Secret<String>)
    /// A redirect, never followed, with its `Location`.
    case unexpectedRedirect(status: Int, location: Secret<String>?)
    /// A body that does not have the expected form, with its first bytes.
    case malformed(status: Int, excerpt: Secret<String>)
    /// A module threw an error that is none of the engine's.
    case moduleFailed(EnginePhase, any Error)
    /// The workflow is wired or configured wrongly; the text explains how, without values.
    case configuration(String)
    /// The flow has ended; it has no page to answer.
    case flowOver

    /// Translates any error of a module's own request into an error of the engine.
    public init(describing error: any Error) {
        self.init(error, in: .transport)
    }

    /// Translates any error into an error of the engine.
    ///
    /// Once the provider has answered the step, a module's own request that never reached a server, or met 429 or 503,
    /// counts as `.moduleFailed`.
    init(_ error: any Error, in phase: EnginePhase) {
        self =
            switch error {
            case EngineError.notReached where phase.isAnswered, EngineError.busy where phase.isAnswered,
                TransportError.notReached where phase.isAnswered:
                .moduleFailed(phase, error)
            case let failure as EngineError: failure
            case TransportError.notReached(let failure): .notReached(failure)
            case TransportError.noUsableAnswer(let failure): .noUsableAnswer(failure)
            case TransportError.cancelled: .noUsableAnswer(.closed)
            default: .moduleFailed(phase, error)
            }
    }
}
