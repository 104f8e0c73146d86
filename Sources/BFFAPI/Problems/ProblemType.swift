/// The kinds of problem documents; the raw value is the last part of `type`, and each has a page in `docs/problems/`.
enum ProblemType: String, Sendable, CaseIterable {
    /// The request, its query or its body cannot be read.
    case malformed
    /// A provider's logout token fails a check, or has been used.
    case invalidLogoutToken = "invalid-logout-token"
    /// The session cookie occurs twice.
    case duplicateCookie = "duplicate-cookie"
    /// The instance has no valid tokens.
    case signedOut = "signed-out"
    /// A bearer caller brought no token.
    case tokenRequired = "token-required"
    /// A bearer caller's token is not valid.
    case invalidToken = "invalid-token"
    /// A bearer caller's user has to authenticate more strongly or again.
    case insufficientUserAuthentication = "insufficient-user-authentication"
    /// A bearer caller's token lacks a scope.
    case insufficientScope = "insufficient-scope"
    /// The session is bound to a device, and the call lacks the device's proof.
    case deviceProofRequired = "device-proof-required"
    /// Like `deviceProofRequired`, and the browser says that it could not get the proof now.
    case deviceProofMissing = "device-proof-missing"
    /// The device's proof fails a check.
    case deviceProofRefused = "device-proof-refused"
    /// The device has to sign a newer challenge.
    case deviceChallenge = "device-challenge"
    /// The session is bound to another device.
    case deviceBound = "device-bound"
    /// The route is for sessions that are bound to a device alone.
    case deviceRequired = "device-required"
    /// The call may have been caused by another site.
    case csrf
    /// The token is too weak for the route; the problem says how to get a stronger one.
    case stepUpRequired = "step-up-required"
    /// The token is too weak for the route, and no client is configured to get a stronger one.
    case stepUpUnavailable = "step-up-unavailable"
    /// A second step-up did not satisfy the API either.
    case stepUpFailed = "step-up-failed"
    /// The provider requires the user to interact.
    case interactionNeeded = "interaction-needed"
    /// Nothing is served under the path.
    case notFound = "not-found"
    /// No client of the configuration has the name in the path.
    case unknownInstance = "unknown-instance"
    /// The user is not signed in to a session with the id.
    case unknownSession = "unknown-session"
    /// The path has no such method.
    case methodNotAllowed = "method-not-allowed"
    /// The request came too slowly.
    case requestTimeout = "request-timeout"
    /// The cookie was rotated meanwhile.
    case sessionChanged = "session-changed"
    /// The step was answered already.
    case staleStep = "stale-step"
    /// An identical answer is in flight.
    case stepInProgress = "step-in-progress"
    /// No flow of this browser waits for the returning user.
    case noPendingReturn = "no-pending-return"
    /// The sign-in was by another user.
    case subjectChanged = "subject-changed"
    /// The browser holds as many accounts as it may.
    case tooManyAccounts = "too-many-accounts"
    /// The flow is unknown, over or expired.
    case flowExpired = "flow-expired"
    /// The body is too large.
    case bodyTooLarge = "body-too-large"
    /// The target is too long.
    case targetTooLong = "target-too-long"
    /// The body is not JSON according to its header fields.
    case unsupportedMediaType = "unsupported-media-type"
    /// `Expect` asks for something that the server does not support.
    case expectationFailed = "expectation-failed"
    /// The host is not one of this server.
    case misdirectedRequest = "misdirected-request"
    /// The answers do not fit the page.
    case invalidAnswers = "invalid-answers"
    /// The client's configuration does not allow what was asked.
    case notAllowed = "not-allowed"
    /// The caller has asked too often for now.
    case tooManyRequests = "too-many-requests"
    /// The request's head is too large.
    case headersTooLarge = "headers-too-large"
    /// The server has a fault.
    case internalError = "internal-error"
    /// The transfer coding is not supported.
    case unsupportedTransferCoding = "unsupported-transfer-coding"
    /// The provider refuses this server's request.
    case providerRefused = "provider-refused"
    /// The server has no room for more connections.
    case busy
    /// The API cannot be reached.
    case upstreamUnavailable = "upstream-unavailable"
    /// The API's answer cannot be passed on.
    case upstreamFailed = "upstream-failed"
    /// The API took too long.
    case upstreamTimeout = "upstream-timeout"
    /// The route's limit of calls in flight is reached.
    case upstreamBusy = "upstream-busy"
    /// The issuer of a bearer token cannot be asked now.
    case issuerUnavailable = "issuer-unavailable"
    /// The work on the request was aborted.
    case interrupted
    /// The provider cannot be asked now.
    case providerUnavailable = "provider-unavailable"
    /// The server is shutting down.
    case stopping
    /// The store cannot be asked now.
    case storeUnavailable = "store-unavailable"
    /// The answer was not ready in time.
    case deadlineExceeded = "deadline-exceeded"
    /// The HTTP version is not supported.
    case unsupportedVersion = "unsupported-version"
}

extension ProblemType {
    /// True if the caller was refused because of its origin, host, cookies or rate; the audit counts such refusals.
    var isDenial: Bool {
        switch self {
        case .csrf, .misdirectedRequest, .duplicateCookie, .tooManyRequests: true
        default: false
        }
    }

    /// The status code; no other code chooses one.
    var status: Int {
        switch self {
        case .malformed, .duplicateCookie, .invalidLogoutToken, .deviceProofRefused: 400
        case .signedOut, .deviceProofRequired, .tokenRequired, .invalidToken, .insufficientUserAuthentication: 401
        case .csrf, .stepUpRequired, .stepUpUnavailable, .stepUpFailed, .interactionNeeded, .insufficientScope,
            .deviceRequired, .deviceChallenge:
            403
        case .notFound, .unknownInstance, .unknownSession: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .sessionChanged, .staleStep, .stepInProgress, .noPendingReturn, .subjectChanged, .tooManyAccounts,
            .deviceBound:
            409
        case .flowExpired: 410
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unsupportedMediaType: 415
        case .expectationFailed: 417
        case .misdirectedRequest: 421
        case .invalidAnswers, .notAllowed: 422
        case .tooManyRequests: 429
        case .headersTooLarge: 431
        case .internalError: 500
        case .unsupportedTransferCoding: 501
        case .providerRefused, .upstreamUnavailable, .upstreamFailed: 502
        case .busy, .interrupted, .providerUnavailable, .stopping, .storeUnavailable, .upstreamBusy, .issuerUnavailable,
            .deviceProofMissing:
            503
        case .deadlineExceeded, .upstreamTimeout: 504
        case .unsupportedVersion: 505
        }
    }
}
