package import StorageKit

/// The life times and bounds of browser sessions and flows.
package struct BFFSettings: Sendable, Equatable {
    /// A signed-in session ends after this long without use; `session.idle`, 1m to 24h, default 30m.
    package var idle: Duration = .seconds(30 * 60)
    /// A signed-in session ends after this long in any case; `session.absolute`, 1m to 30d, default 8h.
    package var absolute: Duration = .seconds(8 * 3600)
    /// A session without a sign-in lives this long; `session.anonymous`, 1m to 1d, default 10m.
    package var anonymous: Duration = .seconds(600)
    /// Sessions without a sign-in that this process keeps before it drops the oldest one without an accepted step;
    /// `session.anonymousSessions`, 100 to 10 million, default 100,000.
    package var anonymousSessions = 100_000
    /// The range of `anonymousSessions`.
    package static let anonymousRange = 100...10_000_000
    /// A flow lives this long; `session.flow`, 1m to 1h, default 10m.
    package var flow: Duration = .seconds(600)
    /// Flows that one instance may have at once, before a new one drops the oldest idle flow;
    /// `session.flowsPerInstance`, 1 to 50, default 5.
    package var flowsPerInstance = 5
    /// Answers that the provider may refuse in one flow; one more ends the flow, where the provider has no bound of its
    /// own.
    package var refusals = 10
    /// Polls that this process holds at once; `server.limits.polls`, 0 to 100,000, default 1024.
    package var heldPolls = 1024
    /// The range of `heldPolls`.
    package static let heldPollRange = 0...100_000
    /// Polls of one session that are held at once.
    var heldPollsPerSession = 2
    /// Accounts that one browser may hold; `session.accounts`, 1 to 64, default 8.
    package var accounts = 8
    /// A sign-in that takes the place of another user waits this long to be confirmed.
    package var confirmation: Duration = .seconds(120)
    /// The answer to a step is kept this long for a repeat of the same request.
    package var keptAnswer: Duration = .seconds(60)
    /// A replaced cookie can still read for this long; after that, if the new cookie was never seen, the replaced one
    /// acts again.
    package var supersededTicket: Duration = .seconds(10)
    /// A repeat of the request that changed the cookie gets its answer again, with the new cookie, for this long.
    package var replayTicket: Duration = .seconds(30)
    /// The end by the idle timeout is written at most this often.
    package var idleExtensionEvery: Duration = .seconds(60)
    /// Revocations that a provider did not accept are kept and retried for this long at most; `session.revocations`, 1m
    /// to 7d, default 1h.
    package var revocations: Duration = .seconds(3600)
    /// The settings of redirects out of a flow and back.
    package var returns = ReturnSettings()

    /// The rules by which reads of token storages may be answered from a copy, by the names of the storages;
    /// `storages.*.cacheStrategy` and `maxAge`.
    package var storages: [String: StorageStrategy] = [:]

    /// A device cookie lives this long; nil where sessions are not bound to the devices of their browsers;
    /// `session.deviceCookie` with `session.deviceBinding: offer`, 3m to 15m, default 5m.
    package var deviceCookie: Duration?
    /// The range of `deviceCookie`: browsers renew a cookie of two minutes or less at every request.
    package static let deviceCookieRange: ClosedRange<Duration> = .seconds(180) ... .seconds(900)
    /// The requirement that a user has to meet to end sessions other than the own one; nil for none;
    /// `session.endRequirement`.
    package var endingRequirement: String?
    /// Pauses between retries of writing a provider's answer, when the store is unavailable.
    var storeRetries: [Duration] = [.milliseconds(50), .milliseconds(250), .milliseconds(1000)]
    /// A wait for another process looks this often, where the store has no change messages.
    var waitInterval: Duration = .milliseconds(100)
    /// A wait for another process looks this often, where the store has change messages.
    ///
    /// The records of a process that died, such as a lease, end by the clock, without a message, and a store may lose
    /// messages.
    var waitSafetyInterval: Duration = .seconds(1)
    /// An event stream ends after this long, and its client connects again.
    package var eventLife: Duration = .seconds(300)
    /// An event stream sends something at least this often, and looks at its session as often.
    package var eventBeat: Duration = .seconds(15)
    /// An event stream waits this long between two looks, however many changes there are.
    package var eventPause: Duration = .milliseconds(250)
    /// An event stream looks this often, where the store has no change messages.
    var eventInterval: Duration = .milliseconds(500)
    /// An event stream waits this long after a look at which the store did not answer.
    var eventOutagePause: Duration = .seconds(1)
    /// The bytes that the flows of a session may take together when another one begins: half of what stores allow a
    /// session.
    var flowBytes = 512 * 1024
    /// The part of a request's time that is kept for storing and answering what a provider said.
    var reserve: Duration = .milliseconds(500)
    /// A caller whose token is still good waits this long for its renewal, and then uses the token that it has.
    var renewalPatience: Duration = .seconds(3)
    /// After a renewal that failed, the next one waits this long while the token is still good.
    var renewalPause: Duration = .seconds(5)
    /// Claims that could not be read are asked for again after this long.
    var claimsPause: Duration = .seconds(60)
    /// The longest that reading claims may delay an answer that can do without them.
    var claimsPatience: Duration = .seconds(5)
    /// A provider session that is kept alive is prolonged at most this often.
    var keepSessionEvery: Duration = .seconds(300)
    /// The longest that keeping a provider session alive may delay an answer.
    var keepSessionPatience: Duration = .seconds(3)
    /// The longest time to end tokens and sessions at providers, after an answer or before the answer that reports the
    /// result.
    var endingPatience: Duration = .seconds(5)
    /// A sign-in's cookie counts as the newest one without a look at the store for this long after its storing began.
    var freshCookie: Duration = .milliseconds(500)
    /// How long the store may take to say that a cookie is the newest.
    var freshLook: Duration = .milliseconds(500)

    /// Settings whose members all have their defaults.
    package init() {}
}
