/// One question of a continue node: a Journey callback, a DaVinci collector.
public protocol Action: Sendable {
    /// The id that an answer names this question by; unique on the page.
    var id: String { get }
}

/// An action that holds something to drop once the request is built: a secret, a one-shot selection.
public protocol CloseableAction: Action {
    /// Drops the secret or selection.
    ///
    /// Called in action order after the request was built and before it is sent.
    func close()
}

/// An action that changes the request which carries the answers, after the body was set.
public protocol RequestInterceptor: Action {
    /// Changes the request; called in action order.
    ///
    /// - Throws: Anything; the step then fails in the phase `request` and nothing is sent.
    func intercept(_ context: inout StepContext, _ request: inout Request, answers: Answers) throws
}
