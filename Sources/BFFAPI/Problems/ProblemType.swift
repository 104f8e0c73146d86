/// Every kind of problem document; the raw value is the last part of `type`, each has a page in `docs/problems/`.
enum ProblemType: String, Sendable, CaseIterable {
    /// The request, its query or its body cannot be read.
    case malformed
    /// Our cookie occurs twice.
    case duplicateCookie = "duplicate-cookie"
    /// The instance has no valid tokens.
    case signedOut = "signed-out"
    /// A bearer caller brought no token.
    case tokenRequired = "token-required"
    /// A bearer caller's token is not valid.
    case invalidToken = "invalid-token"
    /// A bearer caller's user has to authenticate better or anew.
    case insufficientUserAuthentication = "insufficient-user-authentication"
    /// A bearer caller's token lacks a scope.
    case insufficientScope = "insufficient-scope"
    /// The call cannot be told from one that another site caused.
    case csrf
    /// The token is too weak for the route; the problem says how to get a stronger one.
    case stepUpRequired = "step-up-required"
    /// The token is too weak for the route, and no client is configured to get a stronger one.
    case stepUpUnavailable = "step-up-unavailable"
    /// Stepping up did not help twice.
    case stepUpFailed = "step-up-failed"
    /// The provider wants to see the user.
    case interactionNeeded = "interaction-needed"
    /// Nothing is served under the path.
    case notFound = "not-found"
    /// No client of the configuration has the name in the path.
    case unknownInstance = "unknown-instance"
    /// The path has no such method.
    case methodNotAllowed = "method-not-allowed"
    /// The request came too slowly.
    case requestTimeout = "request-timeout"
    /// The cookie was replaced.
    case sessionChanged = "session-changed"
    /// The step was answered already.
    case staleStep = "stale-step"
    /// The same answer is on its way.
    case stepInProgress = "step-in-progress"
    /// Nobody is waited for.
    case noPendingReturn = "no-pending-return"
    /// The sign-in was of another user.
    case subjectChanged = "subject-changed"
    /// The browser holds as many accounts as it may.
    case tooManyAccounts = "too-many-accounts"
    /// No such flow any more.
    case flowExpired = "flow-expired"
    /// The body is too large.
    case bodyTooLarge = "body-too-large"
    /// The target is too long.
    case targetTooLong = "target-too-long"
    /// The body is not JSON by its header.
    case unsupportedMediaType = "unsupported-media-type"
    /// `Expect` asks for something unknown.
    case expectationFailed = "expectation-failed"
    /// The host is not ours.
    case misdirectedRequest = "misdirected-request"
    /// Answers that cannot be sent.
    case invalidAnswers = "invalid-answers"
    /// The client's configuration does not allow what was asked.
    case notAllowed = "not-allowed"
    /// The caller has asked too often for now.
    case tooManyRequests = "too-many-requests"
    /// The head is too large.
    case headersTooLarge = "headers-too-large"
    /// A fault of ours.
    case internalError = "internal-error"
    /// A transfer coding that is not known here.
    case unsupportedTransferCoding = "unsupported-transfer-coding"
    /// The provider refuses us.
    case providerRefused = "provider-refused"
    /// More connections than the server takes.
    case busy
    /// The API cannot be reached.
    case upstreamUnavailable = "upstream-unavailable"
    /// The API answered with what cannot be passed on.
    case upstreamFailed = "upstream-failed"
    /// The API took too long.
    case upstreamTimeout = "upstream-timeout"
    /// As many calls to the API are under way as may be.
    case upstreamBusy = "upstream-busy"
    /// The issuer of a bearer token cannot be asked now.
    case issuerUnavailable = "issuer-unavailable"
    /// The work on the request was broken off.
    case interrupted
    /// The provider cannot be asked now.
    case providerUnavailable = "provider-unavailable"
    /// The server is going away.
    case stopping
    /// The store cannot be asked now.
    case storeUnavailable = "store-unavailable"
    /// No answer in time.
    case deadlineExceeded = "deadline-exceeded"
    /// A version of HTTP that is not known here.
    case unsupportedVersion = "unsupported-version"
}

extension ProblemType {
    /// Whether the caller was turned away for who or where it is, or how often it asks; the audit counts that.
    var isDenial: Bool {
        switch self {
        case .csrf, .misdirectedRequest, .duplicateCookie, .tooManyRequests: true
        default: false
        }
    }

    /// The status code: the one place where it is chosen.
    var status: Int {
        switch self {
        case .malformed, .duplicateCookie: 400
        case .signedOut, .tokenRequired, .invalidToken, .insufficientUserAuthentication: 401
        case .csrf, .stepUpRequired, .stepUpUnavailable, .stepUpFailed, .interactionNeeded, .insufficientScope: 403
        case .notFound, .unknownInstance: 404
        case .methodNotAllowed: 405
        case .requestTimeout: 408
        case .sessionChanged, .staleStep, .stepInProgress, .noPendingReturn, .subjectChanged, .tooManyAccounts: 409
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
        case .busy, .interrupted, .providerUnavailable, .stopping, .storeUnavailable, .upstreamBusy, .issuerUnavailable:
            503
        case .deadlineExceeded, .upstreamTimeout: 504
        case .unsupportedVersion: 505
        }
    }
}
