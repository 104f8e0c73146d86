internal import HTTPServer

extension ProblemType {
    /// The problem of a request that the listener refuses itself.
    ///
    /// - Parameter reason: The raw value of a `Refusal`; one that is not known here is a fault of ours.
    init(refusal reason: String) {
        self =
            switch reason {
            case "malformed", "host", "target", "body-length": .malformed
            case "transfer-coding": .unsupportedTransferCoding
            case "target-too-long": .targetTooLong
            case "headers-too-large": .headersTooLarge
            case "body-too-large": .bodyTooLarge
            case "slow": .requestTimeout
            case "deadline": .deadlineExceeded
            case "draining": .stopping
            case "expectation": .expectationFailed
            case "version": .unsupportedVersion
            default: .internalError
            }
    }
}

extension Problem {
    /// A refusal of the listener.
    init(refusal reason: String) {
        self.init(ProblemType(refusal: reason))
        if type == .stopping || type == .deadlineExceeded { retryAfter = .seconds(1) }
    }

    /// Why a body could not be read.
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
