import BFF
import IdentitySimulator
import StorageKit

/// The rules about users who are told that they are signed out.
extension Browser {
    /// What is known before a request that needs a sign-in.
    struct Before {
        let isHeld: Bool
        let signIn: Expectations.SignIn?
        let isDisturbed: Bool
    }

    func before(_ instance: Instance, _ jar: Jar) async -> Before {
        Before(
            isHeld: await holdsTokens(instance, jar, asNewest: true), signIn: expectations.signIns[instance],
            isDisturbed: expectations.underWay > 0)
    }

    /// Whether the store holds tokens of an instance, and one of the cookies opens their session.
    ///
    /// - Parameters:
    ///   - instance: The instance.
    ///   - jar: The cookies.
    ///   - isNewest: Whether it has to be the last one of the session: its ticket was written last.
    /// - Returns: Whether there are both.
    private func holdsTokens(_ instance: Instance, _ jar: Jar, asNewest isNewest: Bool) async -> Bool {
        for value in jar.values {
            guard let credential = SessionCredential(cookieValue: value) else { continue }
            guard let here = try? await cluster.store.read(credential.sessionKey, .all),
                here[instance.tokenField] != nil
            else { continue }
            let tickets = here.entries.filter { $0.name.hasPrefix("ticket:") }
            let last = tickets.max { $0.field.revision < $1.field.revision }
            // One whose change was taken back by the cookie before it opens nothing any more.
            if last?.name == credential.ticketField || !isNewest && here[credential.ticketField] != nil { return true }
        }
        return false
    }

    /// Judges an answer by what was known before.
    func judgeDenial(_ response: Response?, _ instance: Instance, _ sent: Sent, _ before: Before) async {
        guard let response else { return }
        if response.problem == "signed-out" { await judgeSignedOut(instance, sent, before) }
        judgeExpected(response, instance, sent, before)
    }

    /// 401 means that nobody is signed in, and tokens that are there from beginning to end say otherwise.
    private func judgeSignedOut(_ instance: Instance, _ sent: Sent, _ before: Before) async {
        world.record.count(.check, "401 signed-out")
        guard before.isHeld, !instance.hasLimits, replaced(sent) == nil,
            await holdsTokens(instance, sent.jar, asNewest: false),
            !sent.jar.values.contains(where: { value in
                SessionCredential(cookieValue: value).map {
                    cluster.journal.wasDeleted(instance.tokenField, of: $0.sessionKey, since: sent.began)
                } ?? false
            })
        else { return }
        // The provider may have ended them, and the store not have heard of it yet.
        guard !users(instance).contains(where: { cluster.ledger.hasLostTokens(of: $0, at: instance.client) }) else {
            return
        }
        world.fail(.false401, "\(sent.id) \(instance) is signed out, and its tokens are there before and after")
    }

    /// Who has seen that they are signed in, and has done nothing since that changes it, is not told otherwise.
    private func judgeExpected(_ response: Response, _ instance: Instance, _ sent: Sent, _ before: Before) {
        guard let signIn = before.signIn, expectations.signIns[instance] == signIn, !before.isDisturbed,
            expectations.underWay == 0, !sent.isForeign, sent.jar == jar, !expectations.hasLostTrack
        else { return }
        world.record.count(.check, "a sign-in that is expected to last")
        guard ["signed-out", "session-changed"].contains(response.problem), !isExpired(sent.began, signIn),
            !hasProviderSignedOut(signIn.user, at: instance)
        else { return }
        world.fail(.signedOut, "\(sent.id) \(instance) is signed in as \(signIn.user) and gets \(response.outcome)")
        expectations.forget(instance)
    }

    /// Whose time may be over is not signed in by what comes after it.
    func forgetExpired(at now: Duration) {
        for (instance, signIn) in expectations.signIns where isExpired(now, signIn) { expectations.forget(instance) }
    }

    /// Whether the session may have ended by its own time.
    func isExpired(_ now: Duration, _ signIn: Expectations.SignIn) -> Bool {
        let limits = cluster.definition.sessions
        return now - max(expectations.lastUse, signIn.since) > limits.idle - .seconds(120) - mix.skew
            || now - signIn.since > limits.absolute - mix.skew
    }

    /// A renewed token that was lost on its way ends its grant, and without its session nothing brings another one.
    func hasProviderSignedOut(_ user: String, at instance: Instance) -> Bool {
        cluster.ledger.hasLostTokens(of: user, at: instance.client)
            && !cluster.provider.sessions.contains { $0.user == user }
    }
}
