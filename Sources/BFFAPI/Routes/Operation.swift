/// What the API can be asked for; the raw value is the `operationId` in `openapi/openapi.yaml`.
enum Operation: String, Sendable, CaseIterable {
    /// The instances of this browser.
    case getSession
    /// Begins a flow.
    case startFlow
    /// Answers a step.
    case answerStep
    /// The node shown last.
    case getFlow
    /// Cancels a flow.
    case cancelFlow
    /// Subject, claims and token facts.
    case getUser
    /// Renews the tokens.
    case refreshToken
    /// Revokes the tokens.
    case revokeToken
    /// Signs an instance out.
    case logoutInstance
    /// Signs an account or the browser out.
    case logoutBrowser
    /// Sends the contract, `openapi.yaml`.
    case getContract
}

extension Operation {
    /// Whether it is made to be opened in a browser's address bar: exempt by name from the rules for scripts, and it
    /// never sees the cookie.
    var isNavigation: Bool { self == .getContract }

    /// Whether it may reach a provider whenever it is called, so that its rate is limited.
    var isRateLimited: Bool {
        switch self {
        case .startFlow, .answerStep, .refreshToken: true
        case .getSession, .getFlow, .cancelFlow, .getUser, .revokeToken, .logoutInstance, .logoutBrowser, .getContract:
            false
        }
    }
}
