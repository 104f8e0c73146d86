/// How signing off went; local state is gone in any case, unless a store failed.
public struct SignOffOutcome: Sendable {
    /// What went wrong, in the order it happened: init, handlers, the request.
    public var failures: [EngineError] = []
    /// The provider's answer, when a request was sent and answered; its status is not judged here.
    public var response: Response?

    /// Success, or the first failure.
    public var result: Result<Void, EngineError> {
        failures.first.map { .failure($0) } ?? .success(())
    }
}

extension BoundWorkflow {
    /// Ends the session: removes local state and tells the provider.
    ///
    /// - Returns: Success, or the first failure; the provider's status is not looked at.
    public func signOff() async -> Result<Void, EngineError> {
        await signOffOutcome().result
    }

    /// Ends the session, see `signOff()`, and reports everything that went wrong.
    ///
    /// Every handler runs, also after another one threw or init failed: a revocation that cannot be sent must not keep the
    /// session alive, and the other way round. What a handler that threw did to the request is dropped.
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
