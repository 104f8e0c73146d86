internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

/// Gets tokens for a session, and new ones for old: shared by all callers of a client.
struct TokenSource: Sendable {
    let client: OpenIDClient
    /// A login redirect so soon after the session was made is AM's replication lag.
    static let lagWindow = Duration.seconds(2)
    static let lagRetries = [Duration.milliseconds(100), .milliseconds(400)]
    let renewals: TokenRenewals<JourneyTokenError>

    init(client: OpenIDClient, time: any TimeSource) {
        self.client = client
        renewals = TokenRenewals(time, cancelled: .provider(.cancelled))
    }

    /// Tokens for a session, without the user.
    ///
    /// - Throws: `.sessionEnded` when AM no longer knows the session, which is removed from the caller's store; `.tooWeak` when
    ///   AM does and still wants its login page shown.
    func tokens(
        for session: SSOSession, acrValues: [String], settings: JourneyModuleSettings, services: WorkflowServices,
        shared: SharedContext, caller: Caller
    ) async throws(JourneyTokenError) -> TokenSet {
        guard let cookieName = shared[.cookieName] else {
            throw .provider(.configuration("the name of the session cookie is not known"))
        }
        do {
            return try await authorize(
                session, cookieName, AuthorizeOptions(acrValues: acrValues), services.time, caller)
        } catch {
            guard error == .loginRequired else { throw JourneyTokenError(error) }
        }
        let status = try await settings.status(
            of: session, cookieName: cookieName, services, deadline: caller.deadline)
        // rule: a session that AM knows is not given up
        guard status == .gone else { throw .tooWeak }
        do { try await caller.storages[.session]?.delete() } catch { throw .store(error) }
        throw .sessionEnded
    }

    /// Sends authorizations until one is not answered by the login page, each of them once.
    private func authorize(
        _ session: SSOSession, _ cookieName: String, _ options: AuthorizeOptions, _ time: any TimeSource,
        _ caller: Caller
    ) async throws(OpenIDError) -> TokenSet {
        let deadline = caller.deadline
        let isFresh = time.now() - session.created < Self.lagWindow
        var waits = (isFresh ? Self.lagRetries : [])[...]
        while true {
            do {
                var authorization = try await client.authorization(options, deadline: deadline)
                let call = AuthorizeCall(client: client, authorization: authorization, now: time.now())
                let answer = try await answer(to: call, session, cookieName, caller)
                return try await authorization.finish(answer, by: client, deadline: deadline)
            } catch {
                // rule: a login page alone is asked for again
                guard error == .loginRequired, let wait = waits.popFirst() else { throw error }
                do { try await time.sleep(for: wait) } catch { throw .cancelled }
            }
        }
    }

    /// AM's answer; where it is the consent page, the one to the consent, if the settings let it be given.
    private func answer(
        to call: AuthorizeCall, _ session: SSOSession, _ cookieName: String, _ caller: Caller
    ) async throws(OpenIDError) -> AuthorizationAnswer {
        do {
            return try await call.answer(with: session, cookieName: cookieName, deadline: caller.deadline)
        } catch {
            // rule: consent is given where the settings say so
            guard error == .consentRequired, client.settings.grantsConsent else { throw error }
        }
        let answer = try await call.answerOfConsent(with: session, cookieName: cookieName, deadline: caller.deadline)
        if case .query(let parameters) = answer, parameters.single("code") != nil {
            let grant = ConsentGrant(clientID: client.settings.clientID, scopes: client.settings.scopes)
            try? await caller.storages[.consents]?.save(grant)
        }
        return answer
    }
}
