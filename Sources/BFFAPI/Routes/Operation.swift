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
    /// Goes on with a flow whose user has come back, or with a link that was opened.
    case resumeFlow
    /// Sends the user of a flow to another site.
    case leave
    /// Takes in a browser that comes back from there.
    case comeBack
    /// The same where that site sends a form.
    case comeBackByForm
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
    /// Whether it is made to be opened in a browser's address bar: exempt by name from the rules for scripts; of these
    /// `leave` alone sees the cookie of a session.
    var isNavigation: Bool { self == .getContract || isOnce || self == .comeBackByForm }

    /// Whether a GET spends something, so that a HEAD is not one.
    var isOnce: Bool { self == .leave || self == .comeBack }

    /// Whether it may reach a provider whenever it is called, so that its rate is limited.
    var isRateLimited: Bool {
        switch self {
        case .startFlow, .answerStep, .resumeFlow, .leave, .comeBack, .comeBackByForm, .refreshToken: true
        case .getSession, .getFlow, .cancelFlow, .getUser, .revokeToken, .logoutInstance, .logoutBrowser, .getContract:
            false
        }
    }
}
