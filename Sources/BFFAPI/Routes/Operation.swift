/// The operations of the API; the raw value is the `operationId` in `openapi/openapi.yaml`.
enum Operation: String, Sendable, CaseIterable {
    /// Lists the instances of this browser.
    case getSession
    /// Tells a page about changes of the session while they happen.
    case streamEvents
    /// Begins a flow.
    case startFlow
    /// Answers a step.
    case answerStep
    /// Repeats the node that the flow showed last.
    case getFlow
    /// Cancels a flow.
    case cancelFlow
    /// Resumes a flow whose user has returned, or begins one from an opened link.
    case resumeFlow
    /// Sends the user of a flow to another site.
    case leave
    /// Takes in a browser that returns from another site.
    case comeBack
    /// Takes in a browser that returns with a form of the other site.
    case comeBackByForm
    /// Returns subject, claims and token facts.
    case getUser
    /// Renews the tokens.
    case refreshToken
    /// Revokes the tokens.
    case revokeToken
    /// Signs an instance out.
    case logoutInstance
    /// Signs an account or the browser out.
    case logoutBrowser
    /// Lists the sessions of the user.
    case listSessions
    /// Ends the user's other sessions.
    case endOtherSessions
    /// Ends one of the user's other sessions.
    case endSession
    /// Binds the session to the device of its browser.
    case bindDevice
    /// Proves the device, and gets the next device cookie.
    case proveDevice
    /// Takes a provider's logout token.
    case takeLogoutToken
    /// Sends the contract, `openapi.yaml`.
    case getContract
    /// Sends the origins that may use passkeys of this host.
    case getRelatedOrigins
    /// Sends the addresses of the app's pages for passkeys.
    case getPasskeyEndpoints
}

extension Operation {
    /// True if the operation is opened in a browser's address bar or is a document for everyone, and so exempt from the
    /// rules for scripts; of these `leave` alone reads the cookie of a session.
    var isNavigation: Bool { self == .getContract || isOnce || self == .comeBackByForm || isPasskeyDocument }

    /// True if browsers and password managers fetch the operation from a fixed address.
    var isPasskeyDocument: Bool { self == .getRelatedOrigins || self == .getPasskeyEndpoints }

    /// True if another server calls the operation, without a cookie and without the rules for scripts.
    var isServerCall: Bool { self == .takeLogoutToken }

    /// True if the browser itself calls the operation, without a script and so without our header field.
    var isBrowserCall: Bool { self == .bindDevice || self == .proveDevice }

    /// True if a GET consumes something.
    var isOnce: Bool { self == .leave || self == .comeBack }

    /// True if a HEAD is answered like a GET without the body; not where a GET consumes something, or replaces a stream.
    var takesHead: Bool { !isOnce && self != .streamEvents }

    /// True if each call may reach a provider, or reads many sessions, so that its rate is limited.
    var isRateLimited: Bool {
        switch self {
        case .startFlow, .answerStep, .resumeFlow, .leave, .comeBack, .comeBackByForm, .refreshToken, .listSessions,
            .endOtherSessions, .endSession:
            true
        case .getSession, .getFlow, .cancelFlow, .getUser, .revokeToken, .logoutInstance, .logoutBrowser, .getContract,
            .takeLogoutToken, .streamEvents, .bindDevice, .proveDevice, .getRelatedOrigins, .getPasskeyEndpoints:
            false
        }
    }
}
