internal import OpenIDConnect
package import Orchestrate

extension EngineError {
    /// True if the failure may be over when the step is sent again, without any other change.
    package var isPassing: Bool {
        switch self {
        // A failure of a user's tokens leaves open if the session lives.
        case .notReached, .busy, .moduleFailed(_, is UserTokenError), .moduleFailed(.start, OpenIDError.busy),
            .moduleFailed(.start, OpenIDError.notReached):
            true
        default: false
        }
    }

    /// The time to wait before the step is sent again.
    package var wait: Duration {
        switch self {
        case .busy(_, let wait?), .moduleFailed(_, OpenIDError.busy(let wait?)),
            .moduleFailed(_, UserTokenError.provider(.busy(let wait?))):
            wait
        default: .seconds(5)
        }
    }
}

extension SignInOutcome {
    /// The outcome of a failed step: the end of its flow, or a step that may be sent again.
    ///
    /// - Parameters:
    ///   - step: The failed step.
    ///   - cause: The cause of the failure.
    ///   - failure: The failure in the words of the use cases.
    ///   - orphan: The provider session that the step left, encoded by the client.
    /// - Returns: `.notTaken` only for a step that leaves its flow untouched.
    package static func failed(
        _ step: FlowStep, by cause: EngineError, as failure: FlowFailure, orphan: [UInt8]?
    ) -> SignInOutcome {
        guard step.leavesFlowUntouched else { return .failure(failure, orphan: orphan) }
        if cause.isPassing { return .notTaken(retryAfter: cause.wait) }
        // A start has no flow that could be lost, so it reports the failure at once.
        if step.flow.isOver { return .failure(failure, orphan: orphan) }
        return .notTaken(retryAfter: cause.wait, cause: failure)
    }
}
