import Basics

/// What runs or is remembered in this process besides the store, whatever the settings are: new ones take it over, so that
/// who waits for something under way goes on waiting for it, and nothing is done twice.
final class SharedWork: Sendable {
    let steps: SingleFlight<FlowSteps.StepKey, StepResult>
    let renewals: SingleFlight<TokenRenewal.Flight, Bool>
    let claims: SingleFlight<UserClaims.Flight, Bool>
    let prolongations: SingleFlight<KeepTimes.Key, Bool>
    let silentSignIns: SingleFlight<SilentSignIns.Flight, Bool>
    let afterwards = Afterwards()
    let unanswered = UnansweredCommits()
    let ends = KnownEnds()
    let keepTimes: KeepTimes
    let anonymous: AnonymousSessions
    let auditCounts: AuditCounts
    let polls = HeldPolls()

    init(_ settings: BFFSettings, _ time: any TimeSource) {
        steps = SingleFlight(time)
        renewals = SingleFlight(time)
        claims = SingleFlight(time)
        prolongations = SingleFlight(time)
        silentSignIns = SingleFlight(time)
        keepTimes = KeepTimes(every: settings.keepSessionEvery, idle: settings.idle)
        anonymous = AnonymousSessions(limit: settings.anonymousSessions)
        auditCounts = AuditCounts(time)
    }
}
