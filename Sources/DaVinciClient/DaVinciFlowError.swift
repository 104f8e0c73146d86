internal import Basics
internal import HTTPCore
internal import JSON
package import Orchestrate

/// Why PingOne, or a check of this client, ended a flow.
public struct DaVinciFlowError: Error, Sendable, Equatable {
    /// The reasons, with their stable names in the REST API.
    public enum Reason: String, Sendable, CaseIterable {
        /// The step came too late, or the flow is over at PingOne.
        case interactionExpired = "interaction-expired"
        /// The user has to sign in, and the start asked for a silent answer.
        case loginRequired = "login-required"
        /// PingOne ended the flow, and no setting explains it.
        case providerRefused = "provider-refused"
        /// A page has a link to an address that is not allowed.
        case linkNotAllowed = "link-not-allowed"
        /// A page exceeds a limit.
        case pageTooLarge = "page-too-large"
        /// A poll was answered with a rewind to the previous page, which does not exist or cannot be answered.
        case pollFailed = "poll-failed"
        /// Another user answered than the user of the session.
        case accountMismatch = "account-mismatch"
        /// A fault of the configuration, which only an operator can correct.
        case configuration = "configuration-error"
        /// PingOne is not available, or its answer cannot be used.
        case providerUnavailable = "provider-unavailable"
    }

    /// Why the flow is over.
    public let reason: Reason
    /// The detail that was refused, for a log: names and codes, never a value of the user.
    public let check: String

    /// Makes an error from its reason.
    public init(_ reason: Reason, _ check: String) {
        self.reason = reason
        self.check = check
    }
}

extension EngineError {
    /// The flow error that the cause stands for, as in the REST API; nil for a cause that does not end a flow.
    package var davinci: DaVinciFlowError? {
        switch self {
        case .moduleFailed(_, let error as DaVinciFlowError): error
        case .unexpectedRedirect(let status, let location):
            // A redirect to PingOne's own sign-on page: the request does not fit the application's settings.
            DaVinciFlowError(.configuration, "status \(status) to \(Self.host(location?.reveal()))")
        case .noUsableAnswer(.tooLarge): DaVinciFlowError(.pageTooLarge, "outbound.answers")
        case .malformed(let status, _), .unexpectedStatus(let status, _):
            DaVinciFlowError(.providerUnavailable, "status \(status)")
        default: nil
        }
    }

    /// True if a request was sent and no answer came: a timeout, or a closed connection.
    package var isUnanswered: Bool {
        switch self {
        case .noUsableAnswer(.timeout), .noUsableAnswer(.closed): true
        default: false
        }
    }

    private static func host(_ location: String?) -> String {
        location.flatMap { WebURL($0) }?.authority ?? "no address"
    }
}

extension ErrorNode {
    /// Why a start was refused: by a node of the flow, which names its connector, or because of a setting, here or at
    /// PingOne.
    package var davinciStart: DaVinciFlowError? {
        guard page == nil else { return nil }
        return DaVinciFlowError(
            input["connectorId"] == nil ? .configuration : .providerRefused,
            "status \(status), code \(DaVinciAnswer.code(of: input))")
    }
}
