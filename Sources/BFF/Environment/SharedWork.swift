import Basics
import Sessions
import StorageKit

/// The work in flight and the caches of this process, which new settings take over.
///
/// So a request that waits for work in flight keeps waiting for it when the settings change, and no work is done twice.
final class SharedWork: Sendable {
    let steps: SingleFlight<FlowSteps.StepKey, StepResult>
    let renewals: SingleFlight<FlightKey, Bool>
    let claims: SingleFlight<FlightKey, Bool>
    let prolongations: SingleFlight<FlightKey, Bool>
    let silentSignIns: SingleFlight<FlightKey, Bool>
    let background = BackgroundTasks()
    let unanswered = UnansweredCommits()
    let sessions: KnownSessions
    let keepTimes: KeepTimes
    let auditCounts: AuditCounts
    let polls = HeldPolls()
    let events = OpenStreams()
    let devices = DeviceCounts()
    let health: StoreHealth
    /// The sessions whose use is written again in the background, because the store did not take the first write.
    let extendingIdle = Locked(Set<SessionKey>())

    init(_ settings: BFFSettings, _ time: any TimeSource) {
        steps = SingleFlight(time)
        renewals = SingleFlight(time)
        claims = SingleFlight(time)
        prolongations = SingleFlight(time)
        silentSignIns = SingleFlight(time)
        keepTimes = KeepTimes(every: settings.keepSessionEvery, idle: settings.idle)
        sessions = KnownSessions(anonymousLimit: settings.anonymousSessions, time)
        auditCounts = AuditCounts(time)
        health = StoreHealth(time)
    }
}
