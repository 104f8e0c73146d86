/// The outcome of signing off; local state is removed in any case, unless a store failed.
public struct SignOffOutcome: Sendable {
    /// The errors, in the order they happened: init, handlers, the request.
    public var failures: [EngineError] = []
    /// The provider's answer, if a request was sent and answered; its status is not checked here.
    public var response: Response?

    /// Success, or the first failure.
    public var result: Result<Void, EngineError> {
        failures.first.map { .failure($0) } ?? .success(())
    }
}

extension BoundWorkflow {
    /// Ends the session: removes local state and tells the provider.
    ///
    /// - Returns: Success, or the first failure; the provider's status is not checked.
    public func signOff() async -> Result<Void, EngineError> {
        await signOffOutcome().result
    }

    /// Ends the session, see `signOff()`, and reports every error.
    ///
    /// Every handler runs, even after another one threw or init failed: a failed revocation must not keep the session
    /// alive, and a failed session end must not prevent the revocation. Changes to the request by a handler that threw
    /// are dropped.
    package func signOffOutcome() async -> SignOffOutcome {
        var outcome = SignOffOutcome()
        var shared = SharedContext()
        do {
            shared = try await workflow.initialize(deadline: caller.deadline)
        } catch {
            outcome.failures.append(EngineError(error, in: .initialize))
        }
        var context = StepContext(shared: shared, flow: FlowContext(), caller: caller)
        var request = Request()
        for handler in workflow.handlers.signOff {
            var changed = request
            do {
                try await handler(&context, &changed)
                request = changed
            } catch {
                outcome.failures.append(EngineError(error, in: .signOff))
            }
        }
        guard request.url != nil || outcome.failures.isEmpty else { return outcome }
        do {
            outcome.response = try await workflow.services.send(
                request, deadline: caller.deadline, requestID: caller.requestID)
        } catch {
            outcome.failures.append(EngineError(error, in: .signOff))
        }
        return outcome
    }
}
