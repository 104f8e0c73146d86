internal import HTTPServer

extension ProblemType {
    /// The problem of a request that the listener itself refuses.
    init(_ refusal: RequestError) {
        self =
            switch refusal {  // no default: a new refusal must choose its problem here
            case .malformed, .host, .target, .bodyLength: .malformed
            case .version: .unsupportedVersion
            case .expectation: .expectationFailed
            case .transferCoding: .unsupportedTransferCoding
            case .targetTooLong: .targetTooLong
            case .headersTooLarge: .headersTooLarge
            case .bodyTooLarge: .bodyTooLarge
            case .slow: .requestTimeout
            case .deadline: .deadlineExceeded
            case .draining: .stopping
            case .busy: .busy
            case .badResponse: .internalError
            }
    }
}

extension Problem {
    /// The problem of a refusal by the listener, from its raw value.
    init(refusal reason: String) {
        self.init(RequestError(rawValue: reason).map { ProblemType($0) } ?? .internalError)
        if [.stopping, .busy].contains(type) { retryAfter = .seconds(1) }
    }

    /// The problem of a body that could not be read.
    init(_ error: BodyError) {
        switch error {
        case .tooLarge: self.init(.bodyTooLarge)
        case .timedOut: self.init(.requestTimeout)
        case .disconnected, .cancelled:
            self.init(.interrupted)
            retryAfter = .seconds(1)
        }
    }
}
