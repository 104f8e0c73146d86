internal import Basics
internal import HTTPCore
internal import JSON
package import Orchestrate

/// Why a flow is over that PingOne, or a check of ours, has ended.
public struct DaVinciFlowError: Error, Sendable, Equatable {
    /// The stable words of the REST API.
    public enum Reason: String, Sendable, CaseIterable {
        /// The step came too late, or the flow is over at PingOne.
        case interactionExpired = "interaction-expired"
        /// Somebody has to sign in, and the start asked for a silent answer.
        case loginRequired = "login-required"
        /// PingOne ended the flow, and no setting explains it.
        case providerRefused = "provider-refused"
        /// A page leads where nothing is sent.
        case linkNotAllowed = "link-not-allowed"
        /// A page beyond what is taken of it.
        case pageTooLarge = "page-too-large"
        /// A poll was answered by the page before, and there is none.
        case pollFailed = "poll-failed"
        /// Another user answered than the one of the session.
        case accountMismatch = "account-mismatch"
        /// Only an operator can change it.
        case configuration = "configuration-error"
        /// An answer that is none.
        case providerUnavailable = "provider-unavailable"
    }

    /// Why the flow is over.
    public let reason: Reason
    /// What was refused, for a log: names and codes, never a value of the user's.
    public let check: String

    /// Why a flow is over.
    public init(_ reason: Reason, _ check: String) {
        self.reason = reason
        self.check = check
    }
}

extension EngineError {
    /// What DaVinci calls the cause, in the words of the REST API; nil for one that ends no flow by itself.
    package var davinci: DaVinciFlowError? {
        switch self {
        case .moduleFailed(_, let error as DaVinciFlowError): error
        case .unexpectedRedirect(let status, let location):
            // The page of PingOne's own sign-on: what it was sent does not fit the application's settings.
            DaVinciFlowError(.configuration, "status \(status) to \(Self.host(location?.reveal()))")
        case .noUsableAnswer(.tooLarge): DaVinciFlowError(.pageTooLarge, "outbound.answers")
        case .malformed(let status, _), .unexpectedStatus(let status, _):
            DaVinciFlowError(.providerUnavailable, "status \(status)")
        default: nil
        }
    }

    /// Whether a request went out, and no answer came: its time was over, or the connection was cut.
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
    /// Why a start was refused: by a node of the flow, which names its connector, or because of a setting, here or at PingOne.
    package var davinciStart: DaVinciFlowError? {
        guard page == nil else { return nil }
        return DaVinciFlowError(
            input["connectorId"] == nil ? .configuration : .providerRefused,
            "status \(status), code \(DaVinciAnswer.code(of: input))")
    }
}
