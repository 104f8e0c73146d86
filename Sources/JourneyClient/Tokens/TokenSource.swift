internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// Gets tokens for a session, and new ones for old: shared by all callers of a client.
struct TokenSource: Sendable {
    let client: OpenIDClient
    let sleep: @Sendable (Duration) async throws -> Void
    /// A login redirect so soon after the session was made is AM's replication lag.
    static let lagWindow = Duration.seconds(2)
    static let lagRetries = [Duration.milliseconds(100), .milliseconds(400)]
    private let flights = SingleFlight<String, Result<TokenSet, OpenIDError>>()

    init(client: OpenIDClient, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.client = client
        self.sleep = sleep
    }

    /// Tokens for a session, without the user.
    ///
    /// - Throws: `.sessionEnded` when AM no longer knows the session, `.tooWeak` when it does and still wants its login page
    ///   shown.
    func tokens(
        for session: SSOSession, acrValues: [String], settings: JourneySettings, services: WorkflowServices,
        shared: SharedContext, caller: Caller
    ) async throws(JourneyTokenError) -> TokenSet {
        guard let cookieName = shared[.cookieName] else {
            throw .provider(.configuration("the name of the session cookie is not known"))
        }
        do {
            let endpoint = try await client.authorizationEndpoint(deadline: caller.deadline)
            let now = services.time.now()
            let header = SessionHeader(
                name: cookieName, value: session.value,
                cookies: session.cookies.header(for: endpoint, now: now).map { Secret($0) })
            let isFresh = now - session.created < Self.lagWindow
            return try await client.authorize(
                session: header, options: AuthorizeOptions(acrValues: acrValues, traceparent: caller.traceparent),
                retries: isFresh ? Self.lagRetries : [], sleep: sleep, deadline: caller.deadline)
        } catch {
            guard error == .loginRequired else { throw JourneyTokenError(error) }
        }
        let alive = try await settings.isAlive(
            session, cookieName: cookieName, services, deadline: caller.deadline)
        throw alive ? .tooWeak : .sessionEnded
    }

    /// Renews tokens; callers with the same refresh token share one request.
    func renew(_ tokens: TokenSet, deadline: ContinuousClock.Instant) async throws(OpenIDError) -> TokenSet {
        guard let key = tokens.refreshToken?.reveal() else { throw .invalidGrant }
        let result: Result<TokenSet, OpenIDError>
        do {
            result = try await flights.run(key) {
                do throws(OpenIDError) {
                    return .success(try await client.refresh(tokens, deadline: deadline))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .cancelled
        }
        return try result.get()
    }
}
