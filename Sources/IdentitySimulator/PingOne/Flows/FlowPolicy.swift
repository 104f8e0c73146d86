internal import Basics
internal import JSON

/// The next turn of a flow.
enum FlowTurn {
    case page(FlowPage)
    /// The user is signed in; `amr` goes into the success node.
    case success(user: String, amr: [String])
    /// The page stays, with this error.
    case refusal(FlowRefusal)
    /// The flow is over.
    case failure(String)
    /// The page stays, and the response names an event for that.
    case rewind(String)
    /// The request breaks this rule and is invalid for every client.
    case unsound(FlowRule)
}

/// The status of a challenge, which the user answers on another device.
enum ChallengeStatus {
    case pending
    case complete(String)
    case expired
}

/// A flow policy.
protocol FlowPolicy: Sendable {
    /// True if no session is strong enough for the policy.
    var isStepUp: Bool { get }
    func begin(_ run: inout FlowRun, with services: FlowServices) -> FlowTurn
    func advance(_ input: FlowInput, in run: inout FlowRun, with services: FlowServices) -> FlowTurn
    /// Resumes the flow after the user has been at another provider.
    func resume(_ user: String, in run: inout FlowRun, with services: FlowServices) -> FlowTurn
    func status(_ run: inout FlowRun) -> ChallengeStatus
}

extension FlowPolicy {
    var isStepUp: Bool { false }
    func resume(_ user: String, in run: inout FlowRun, with services: FlowServices) -> FlowTurn {
        .failure("server_error")
    }
    func status(_ run: inout FlowRun) -> ChallengeStatus { .expired }
}

/// The services that policies use.
struct FlowServices {
    let oauth: OAuthServices
    let social: FlowDepartures
    let outbox: Outbox
    let call: SimulatedCall
    /// The session that the start request carried, if it is alive.
    let session: SSORecord?

    var settings: SimulatorSettings { oauth.settings }
    var directory: UserDirectory { oauth.directory }
    var now: Timestamp { call.now }

    /// Sends a code, which the outbox shows.
    func send(code: String, to address: String) { outbox.send(Outbox.Message(address: address, code: code)) }

    /// The URL of a path within the environment.
    func address(_ path: String) -> String { "\(call.base)/\(settings.pingOne.environment)/\(path)" }
}

/// The policies by id.
enum PolicyTable {
    static func policy(_ id: String) -> (any FlowPolicy)? { all[id] }
    static var names: Set<String> { Set(all.keys) }

    private static let all: [String: any FlowPolicy] = [
        "SignOn": SignOnPolicy(), "SignOnForms": SignOnFormsPolicy(), "StepUp": StepUpPolicy(), "Mfa": MfaPolicy(),
        "Push": PushPolicy(), "Approval": ApprovalPolicy(), "Social": SocialPolicy(),
        "Registration": RegistrationPolicy(), "Reset": ResetPolicy(), "Passkey": PasskeyPolicy(),
        "Protect": ProtectPolicy(), "Metadata": MetadataPolicy(), "Recognize": RecognizePolicy(),
        "Texts": TextsPolicy(),
        "Odd": OddPolicy(), "Huge": HugePolicy(), "ForeignLinks": ForeignLinksPolicy(),
    ]
}
