import Basics
import StorageKit

/// What runs or is remembered in this process besides the store, whatever the settings are: new ones take it over, so that
/// who waits for something under way goes on waiting for it, and nothing is done twice.
final class SharedWork: Sendable {
    let steps: SingleFlight<FlowSteps.StepKey, StepResult>
    let renewals: SingleFlight<FlightKey, Bool>
    let claims: SingleFlight<FlightKey, Bool>
    let prolongations: SingleFlight<FlightKey, Bool>
    let silentSignIns: SingleFlight<FlightKey, Bool>
    let afterwards = Afterwards()
    let unanswered = UnansweredCommits()
    let ends = KnownEnds()
    let changes = SeenChanges()
    let keepTimes: KeepTimes
    let anonymous: AnonymousSessions
    let auditCounts: AuditCounts
    let polls = HeldPolls()
    let health: StoreHealth
    let signedIn: KnownSignIns
    /// Sessions of which a use is written that the store did not take.
    let sliding = Locked(Set<SessionKey>())

    init(_ settings: BFFSettings, _ time: any TimeSource) {
        steps = SingleFlight(time)
        renewals = SingleFlight(time)
        claims = SingleFlight(time)
        prolongations = SingleFlight(time)
        silentSignIns = SingleFlight(time)
        keepTimes = KeepTimes(every: settings.keepSessionEvery, idle: settings.idle)
        anonymous = AnonymousSessions(limit: settings.anonymousSessions)
        auditCounts = AuditCounts(time)
        health = StoreHealth(time)
        signedIn = KnownSignIns(time)
    }
}

/// A record of a browser session, about which callers share what is done.
struct FlightKey: Hashable, Sendable {
    let session: SessionKey
    let field: String
    /// Whether it is done even where it is not due: who asks for that shares it with others who do.
    var isForced = false
}
