package import Basics
package import Logs
package import ResourceServer
package import Sessions
package import StorageKit

/// The use cases of the server: browser sessions, flows, tokens and their end; knows no HTTP.
package final class Backend: Sendable {
    let environment: Environment
    /// The audit log of this server.
    package var audit: AuditLog { environment.audit }
    /// The polls that are held; the server releases them when it stops.
    package var polls: HeldPolls { environment.work.polls }
    /// The event streams that are open; the server ends them when it stops.
    package var eventStreams: OpenStreams { environment.work.events }
    /// The counts of the proofs of devices.
    package var deviceCounts: DeviceCounts { environment.work.devices }
    /// Event streams of browser sessions.
    package var events: SessionEvents { SessionEvents(sessions) }
    let sessions: BrowserSessions
    /// The reasons why a sign-in or a flow is over.
    package var ends: EndReasons { EndReasons(sessions.records.store) }
    private let logout: Logout
    private let users: UserAnswers
    private let offers: StepUpOffers
    private let routeTokens: RouteTokens
    private let starts: FlowStart
    /// The devices that sessions are bound to.
    package let devices: Devices
    let steps: FlowSteps
    /// Redirects to another site in the middle of a flow, and back.
    package var returns: Returns { Returns(steps.flows, steps) }

    /// Ends of sign-ins without their cookies.
    package var remoteEnds: RemoteEnds { RemoteEnds(environment) }

    /// The sessions of a user, for that user.
    package var ownSessions: OwnSessions { OwnSessions(sessions, routeTokens) }

    /// One-time codes and placeholders of tokens, for programs that expect those of OAuth 2.0.
    package var placeholders: Placeholders { Placeholders(environment, users, logout) }

    /// Makes the use cases for a store and a set of clients.
    ///
    /// `clients` and `requirements` are in the order of the configuration, `keys` begin with the current one, `encryptor` seals
    /// each record once more, `audits` turns audit lines on, and `former` are the use cases before, whose work is shared.
    package init(
        settings: BFFSettings, clients: [ClientDefinition], requirements: [Requirement] = [], store: any ByteStore,
        encryptor: (any Encryptor)? = nil, keys: ServerKeys, time: any TimeSource, renderer: any UserRenderer,
        logger: Logger, audits: Bool = true, after former: Backend? = nil
    ) {
        let work = former?.environment.work ?? SharedWork(settings, time)
        let audit = AuditLog(audits ? logger : .silent, keys, work.auditCounts)
        let dependencies = BackendDependencies(
            store: store, encryptor: encryptor, renderer: renderer, logger: logger, audit: audit, keys: keys)
        environment = Environment(settings, clients, Requirements(requirements, time), dependencies, work)
        sessions = BrowserSessions(SessionRecords(environment, keys), Revocations(environment, keys))
        devices = Devices(sessions, keys)
        let cleanup = SessionCleanup(sessions)
        logout = Logout(cleanup)
        let renewal = TokenRenewal(sessions.records, sessions.revocations, cleanup)
        let flows = Flows(sessions, devices)
        let signIns = SignIns(flows, StepUpRules(environment.requirements), cleanup)
        steps = FlowSteps(flows, StepOutcomes(flows, signIns), SessionProlongation(sessions.records))
        let silent = SilentSignIns(renewal, signIns, cleanup)
        users = UserAnswers(renewal, UserClaims(sessions.records, renewal), cleanup, steps.prolongation, silent)
        offers = StepUpOffers(sessions)
        routeTokens = RouteTokens(renewal, cleanup, offers, steps.prolongation, silent)
        starts = FlowStart(flows, signIns)
    }

    /// Checks, now and then by a write of its own, that the store takes writes; else throws `.storeUnavailable`.
    package func ping() async throws(BFFError) { try await environment.ping() }

    /// True if the cookie is the newest one of a living, signed-in session; false where the store does not answer soon.
    package func isSignedIn(_ cookie: String?) async -> Bool { await sessions.records.store.isSignedIn(cookie) }

    /// The time limit of a request that answers a page of an instance; nil where the server's own limit applies.
    package func patience(of instance: String) -> Duration? { environment.patience(of: instance) }

    /// The client that runs the flows of an instance.
    package func flows(of name: String) throws(BFFError) -> any FlowClient { try environment.resolve(name).1.flows }

    /// Begins a flow of an instance; makes a session when the browser has none.
    package func start(_ name: String, _ body: StartRequest, _ call: CallContext) async throws(BFFError) -> FlowReply {
        try await starts.start(name, body, call)
    }

    /// Answers a step of a flow.
    package func next(_ name: String, _ body: NextRequest, _ call: CallContext) async throws(BFFError) -> FlowReply {
        try await steps.next(name, body, call)
    }

    /// The node that a flow shows, so that a page reload continues.
    package func flow(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) -> FlowNode {
        try await steps.flows.flow(name, id, context)
    }

    /// Cancels a flow; a flow that is gone already counts as cancelled.
    package func cancelFlow(_ name: String, _ id: String, _ context: CallContext) async throws(BFFError) {
        try await steps.flows.cancel(name, id, context)
    }

    /// The instances of this browser and the seconds left; never extends the session.
    package func session(_ context: CallContext) async throws(BFFError) -> SessionOverview {
        try await SessionOverviews(sessions).session(context)
    }

    /// Like `session(_:)`; nil when the answer needs a wait.
    package func sessionAtOnce(
        cookie: String?, startCookie: String?, device: SentDeviceProof = SentDeviceProof()
    ) throws(BFFError) -> SessionOverview? {
        try SessionOverviews(sessions).sessionAtOnce(cookie: cookie, startCookie: startCookie, device: device)
    }

    /// Subject, claims, session and token facts of an instance; `refresh` reads the claims from the provider again.
    package func user(_ name: String, refresh: Bool, _ context: CallContext) async throws(BFFError) -> User {
        try await users.user(name, refresh: refresh, context)
    }

    /// Like `user(_:refresh:_:)`; nil when the answer needs a wait or a write.
    package func userAtOnce(
        _ name: String, cookie: String?, startCookie: String? = nil, device: SentDeviceProof = SentDeviceProof()
    ) throws(BFFError) -> User? {
        try users.userAtOnce(name, cookie: cookie, startCookie: startCookie, device: device)
    }

    /// Renews the instance's tokens now; answers like `user(_:refresh:_:)`.
    package func refreshToken(_ name: String, _ context: CallContext) async throws(BFFError) -> User {
        try await users.refreshToken(name, context)
    }

    /// Revokes and forgets the instance's tokens; the provider session stays.
    package func revokeToken(_ name: String, _ call: CallContext) async throws(BFFError) -> Reply<RevocationOutcome> {
        try await logout.revokeToken(name, call)
    }

    /// Signs an instance out, with `session` also where it shares its provider session.
    package func logout(_ name: String, session: Bool, _ context: CallContext) async throws(BFFError) -> CookieChange {
        try await logout.logout(name, session: session, context)
    }

    /// Signs one account out, or, without a name, the whole browser.
    package func logoutAll(account: String?, _ context: CallContext) async throws(BFFError) -> CookieChange {
        try await logout.logoutAll(account: account, context)
    }

    /// The token of a call to a route, `isUnderWay` if it had one before; nil for a route that demands nothing.
    package func token(
        for route: RouteDefinition, account: String, isUnderWay: Bool = false, _ context: CallContext
    ) async throws(BFFError) -> RouteToken? {
        try await routeTokens.token(for: route, account: account, isUnderWay: isUnderWay, context)
    }

    /// Replaces a token that the upstream called invalid.
    package func renewedToken(
        after refused: RouteToken, for route: RouteDefinition, _ context: CallContext
    ) async throws(BFFError) -> RouteToken {
        try await routeTokens.renewedToken(after: refused, for: route, context)
    }

    /// Records that an API accepted a call, with `target` its method, path, query and body: attempts begin anew.
    package func passed(_ route: RouteDefinition, account: String, target: String, _ context: CallContext) async {
        await offers.passed(route, account: account, target: target, context)
    }

    /// Answers an upstream's challenge for a stronger token: `.stepUpRequired`, or the reason why there is no step-up.
    package func stepUp(
        for challenge: ReceivedChallenge, _ route: RouteDefinition, account: String, target: String, _ call: CallContext
    ) async -> BFFError {
        await offers.stepUp(for: challenge, route, account: account, target: target, call)
    }

    /// Retries revocations that providers did not accept; the server calls it now and then, and after new settings.
    package func retryRevocations(until end: ContinuousClock.Instant) async { await sessions.revocations.retry(end) }

    /// Waits until no background work is left after answers, including work that began under the settings before.
    package func settled() async { await sessions.revocations.settled() }
}
