public import Basics
public import HTTPCore

/// A phase of a workflow, named as in Ping's SDKs; says where a module failed.
public enum EnginePhase: String, Sendable, CaseIterable {
    /// Getting ready, once per workflow.
    case initialize
    /// Building the first request.
    case start
    /// Rebuilding the page and turning answers into a request.
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
}

/// Why a step has no proper outcome.
///
/// The cases tell apart what a caller acts on: whether the provider may have seen the request.
public enum EngineFailure: Error, Sendable {
    /// Nothing reached the provider; the flow is still at its step.
    case notReached(TransportFault)
    /// The request was sent, in whole or in part, and no usable answer came; the flow is over.
    case noUsableAnswer(TransportFault)
    /// The provider said 429 or 503; the flow is still at its step.
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

    /// Whether the flow is still where it was, so that the same answers may be sent later.
    public var leavesFlowUntouched: Bool {
        switch self {
        case .notReached, .busy: true
        case .noUsableAnswer, .unexpectedStatus, .unexpectedRedirect, .malformed, .moduleFailed, .configuration,
            .flowOver:
            false
        }
    }

    /// Any error of a module's own request in the words of the engine.
    public init(describing error: any Error) {
        self.init(error, in: .transport)
    }

    /// Any error in the words of the engine.
    ///
    /// Once the provider has answered the step, a call that a module makes and that reaches nobody does not mean that the
    /// step may be sent again: then it is the module's failure.
    init(_ error: any Error, in phase: EnginePhase) {
        let answered = [.response, .transform, .node, .success].contains(phase)
        self =
            switch error {
            case EngineFailure.notReached where answered, EngineFailure.busy where answered,
                TransportError.notReached where answered:
                .moduleFailed(phase, error)
            case let failure as EngineFailure: failure
            case TransportError.notReached(let fault): .notReached(fault)
            case TransportError.noUsableAnswer(let fault): .noUsableAnswer(fault)
            case TransportError.cancelled: .noUsableAnswer(.closed)
            default: .moduleFailed(phase, error)
            }
    }
}
