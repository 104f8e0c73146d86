internal import Basics
internal import JSON

/// What a flow does next.
enum FlowTurn {
    case page(FlowPage)
    /// The user is signed in; `amr` is what the success node says.
    case success(user: String, amr: [String])
    /// The page stays, and this is wrong.
    case refusal(FlowRefusal)
    /// The flow is over.
    case failure(String)
    /// The page that was shown stays, with the name of an event for that.
    case rewind(String)
    /// No client may send this, by the rule that it breaks.
    case unsound(FlowRule)
}

/// What becomes of something that is asked elsewhere.
enum ChallengeStatus {
    case pending
    case complete(String)
    case expired
}

/// A flow policy.
protocol FlowPolicy: Sendable {
    /// Whether it wants more than any session has.
    var isStepUp: Bool { get }
    func begin(_ run: inout FlowRun, _ services: FlowServices) -> FlowTurn
    func advance(_ input: FlowInput, _ run: inout FlowRun, _ services: FlowServices) -> FlowTurn
    /// Goes on after the user has been at another provider.
    func resume(_ user: String, _ run: inout FlowRun, _ services: FlowServices) -> FlowTurn
    func status(_ run: inout FlowRun) -> ChallengeStatus
}

extension FlowPolicy {
    var isStepUp: Bool { false }
    func resume(_ user: String, _ run: inout FlowRun, _ services: FlowServices) -> FlowTurn {
        .failure("server_error")
    }
    func status(_ run: inout FlowRun) -> ChallengeStatus { .expired }
}

/// What policies work with.
struct FlowServices {
    let oauth: OAuthServices
    let social: FlowDepartures
    let outbox: Outbox
    let call: SimulatedCall
    /// The session that the start brought, while it lives.
    let session: SSORecord?

    var settings: SimulatorSettings { oauth.settings }
    var directory: UserDirectory { oauth.directory }
    var now: Timestamp { call.now }

    /// Sends a code, which may be looked up in the outbox.
    func send(code: String, to address: String) { outbox.send(Outbox.Message(address: address, code: code)) }

    /// The address of a path of the environment.
    func address(_ path: String) -> String { "\(call.base)/\(settings.pingOne.environment)/\(path)" }
}

/// The policies by their ids.
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
