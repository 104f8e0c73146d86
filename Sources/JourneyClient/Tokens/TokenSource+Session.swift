internal import Basics
internal import HTTPCore
internal import OpenIDConnect
internal import Orchestrate

extension TokenSource {
    /// The time after the session's creation in which a login redirect is taken for AM's replication lag and retried.
    static var lagWindow: Duration { .seconds(2) }
    static var lagRetries: [Duration] { [.milliseconds(100), .milliseconds(400)] }

    /// Obtains tokens for a session, without the user.
    ///
    /// `isIssued` is true if AM made the session in the step before.
    ///
    /// - Throws: `.sessionEnded` when AM no longer knows the session, which is removed from the caller's store;
    ///   `.tooWeak` when AM knows the session and still shows its login page; `.provider(.configuration)` when the name
    ///   of the session cookie is not AM's.
    func tokens(
        for session: SSOSession, isIssued: Bool = false, acrValues: [String], settings: JourneyModuleSettings,
        services: WorkflowServices, caller: Caller
    ) async throws(JourneyTokenError) -> TokenSet {
        let cookieName = try settings.cookieName()
        let options = AuthorizeOptions(acrValues: acrValues)
        do {
            return try await authorize(session, cookieName: cookieName, options: options, time: services.time, caller)
        } catch {
            guard error == .loginRequired else { throw JourneyTokenError(error) }
        }
        let status = try await settings.status(
            of: session, cookieName: cookieName, services, deadline: caller.deadline)
        if let problem = settings.cookie.problem { throw .provider(.configuration(problem)) }
        let present = try settings.cookieName()
        if status == .alive, !present.isSameText(as: cookieName) {
            do {
                return try await authorize(session, cookieName: present, options: options, time: services.time, caller)
            } catch {
                throw error == .loginRequired ? .tooWeak : JourneyTokenError(error)
            }
        }
        // rule: a session that AM knows is not given up
        guard status == .gone else { throw .tooWeak }
        if isIssued { throw .provider(.configuration(Self.unknownAtOnce(cookieName))) }
        do { try await caller.storages[.session]?.delete() } catch { throw .store(error) }
        throw .sessionEnded
    }

    /// The message for a session that AM does not know right after making it, because it cannot have ended by itself.
    private static func unknownAtOnce(_ cookieName: String) -> String {
        "AM does not know the session that it gave a moment ago: compare cookieName, here \(cookieName), with AM's, "
            + "and see that the balancer in front keeps sessions on their server"
    }

    /// Sends authorizations, each once, until AM answers without the login page.
    ///
    /// A login page is retried only for a session younger than `lagWindow`; an expired pushed authorization is pushed
    /// again once.
    private func authorize(
        _ session: SSOSession, cookieName: String, options: AuthorizeOptions, time: any TimeSource,
        _ caller: Caller
    ) async throws(OpenIDError) -> TokenSet {
        let deadline = caller.deadline
        let isFresh = time.now() - session.created < Self.lagWindow
        var waits = (isFresh ? Self.lagRetries : [])[...]
        var isPushedAgain = false
        while true {
            do {
                let call = try await AuthorizeCall(client, options, now: time.now(), deadline: deadline)
                let answer = try await answer(to: call, session, cookieName, caller)
                var authorization = call.authorization
                return try await authorization.finish(answer, by: client, deadline: deadline)
            } catch {
                // The pushed authorization had expired before it was used; no code was issued.
                if case .rejected("invalid_request_uri", _) = error, !isPushedAgain {
                    isPushedAgain = true
                    continue
                }
                // rule: a login page alone is asked for again
                guard error == .loginRequired, let wait = waits.popFirst() else { throw error }
                do { try await time.sleep(for: wait) } catch { throw .cancelled }
            }
        }
    }

    /// AM's answer; if that is the consent page and the settings grant consent, AM's answer to the consent.
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

extension JourneyModuleSettings {
    /// The name of the session cookie.
    fileprivate func cookieName() throws(JourneyTokenError) -> String {
        do { return try cookie.current } catch { throw JourneyTokenError(calling: error) }
    }
}
