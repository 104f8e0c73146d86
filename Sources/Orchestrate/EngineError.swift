public import Basics
public import HTTPCore

/// A phase of a workflow, named as in Ping's SDKs; says where a module failed.
public enum EnginePhase: String, Sendable, CaseIterable {
    /// Getting ready, once per workflow.
    case initialize
    /// Building the first request.
    case start
    /// Rebuilding the page, judging the answers and turning them into a request.
    case request
    /// Changing the request that carries answers.
    case next
    /// Sending the request.
    case transport
    /// Looking at the answer.
    case response
    /// Turning the answer into a node.
    case transform
    /// Changing the node.
    case node
    /// Finishing a success node.
    case success
    /// Ending the session.
    case signOff

    /// Whether the provider has answered the step.
    var isAnswered: Bool { [.response, .transform, .node, .success].contains(self) }

    /// Whether a step that fails here leaves its flow untouched: the provider took nothing of it, so the same answers may
    /// be sent again.
    ///
    /// Before the request is sent that is so whatever has failed: what modules ask on the way there changes no flow. While
    /// it is sent, it is so for what cannot be sent, reached nobody, or was turned away as too much. This is the only place
    /// that decides it.
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

/// Why a step has no proper outcome.
///
/// Whether the step may be sent again is not said by the cause alone, see `FlowStep.leavesFlowUntouched`.
public enum EngineError: Error, Sendable {
    /// Nothing reached the provider.
    case notReached(ExchangeError)
    /// The request was sent, in whole or in part, and no usable answer came.
    case noUsableAnswer(ExchangeError)
    /// The provider said 429 or 503.
    case busy(status: Int, retryAfter: Duration?)
    /// A status that no outcome is defined for, with the first bytes of the body.
    case unexpectedStatus(Int, excerpt: Secret<String>)
    /// A redirect, never followed, with its `Location`.
    case unexpectedRedirect(status: Int, location: Secret<String>?)
    /// A body that does not have the agreed form, with its first bytes.
    case malformed(status: Int, excerpt: Secret<String>)
    /// A module threw something of its own.
    case moduleFailed(EnginePhase, any Error)
    /// The workflow is wired or configured wrongly; says how, without values.
    case configuration(String)
    /// The flow has ended; it has no page to answer.
    case flowOver

    /// Any error of a module's own request in the words of the engine.
    public init(describing error: any Error) {
        self.init(error, in: .transport)
    }

    /// Any error in the words of the engine.
    ///
    /// Once the provider has answered the step, that a call of a module reaches nobody is the module's failure.
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
