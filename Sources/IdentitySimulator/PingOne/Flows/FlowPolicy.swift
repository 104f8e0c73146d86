internal import Basics
internal import HTTPServer
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
    /// Something that only a broken flow answers.
    case answer(ServerResponse)
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
    /// Goes on after the user has been at another provider; nil for who refused there.
    func resume(_ user: String?, _ run: inout FlowRun, _ services: FlowServices) -> FlowTurn
    func status(_ run: inout FlowRun) -> ChallengeStatus
}

extension FlowPolicy {
    var isStepUp: Bool { false }
    func resume(_ user: String?, _ run: inout FlowRun, _ services: FlowServices) -> FlowTurn {
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
    /// The address of a path of the environment.
    func address(_ path: String) -> String { "\(call.base)/\(settings.pingOne.environment)/\(path)" }
}

/// The policies by their ids.
enum PolicyTable {
    static func policy(_ id: String) -> (any FlowPolicy)? { all[id] }
    static var names: Set<String> { Set(all.keys) }

    private static let all: [String: any FlowPolicy] = [
        "SignOn": SignOnPolicy(), "SignOnForms": SignOnFormsPolicy(), "StepUp": StepUpPolicy(),
    ]
}
