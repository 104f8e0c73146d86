import Basics
import JSON
import OpenIDConnect
import StorageKit

/// A completed sign-in on its way into the store: where it goes and what it displaces.
struct SignInPlan: Sendable {
    var signIn: SignIn
    /// When the user authenticated, and when before, as the provider said: newer is what is later by its own clock.
    var authTimes: (stated: Timestamp?, former: Timestamp?) = (nil, nil)
    /// Whether the flow began less than a second after the first sign-in with its provider session was stored.
    var followsAtOnce = false
    var claims: JSONObject?
    let call: InstanceCall
    let replace: Bool
    /// What the flow was started for, when it was a step-up.
    let goal: StepUpGoal?
    /// When the flow began.
    let begun: Timestamp
    /// The step whose answer completed the flow; nil for a sign-in that needed no page.
    let answered: SentStep?
    /// Whether the provider session alone brought the tokens: nobody was asked, and nothing was forced.
    let isSilent: Bool
    /// Whether nobody asked for it, because an instance was used that had no tokens: it takes nobody's place.
    var isByUse = false
    /// Whether the flow began with a link for which no flow of this browser waited.
    let isCrossBrowser: Bool
    /// Whether the flow began with a link: then another user takes a place only after a confirmation.
    var isByLink = false
    /// What was asked, when this is the sign-in that waited for the answer.
    var confirmed: UnconfirmedSignIn?
    /// The provider session that the flow built upon; nil when there was none.
    let sessionBefore: [UInt8]?

    /// A sign-in that needed no page; its claims are read later.
    init(_ signIn: SignIn, _ work: StartWork) {
        self.signIn = signIn
        call = work.call
        replace = work.request.replace
        goal = work.goal
        begun = work.begun
        answered = nil
        isSilent = !signIn.sessionIsNew && !work.request.isForced && !work.request.product.isForced
        isCrossBrowser = work.isCrossBrowser
        isByLink = work.link != nil
        sessionBefore = work.isCrossBrowser ? nil : work.session?.record(work.call.sessionField)
    }

    /// A sign-in that a step completed; its claims are read later.
    ///
    /// It takes the place of another user where the flow was started so, unless `replace` says otherwise.
    init(_ signIn: SignIn, _ sent: SentStep, replace: Bool? = nil) {
        self.signIn = signIn
        call = sent.work.call
        self.replace = replace ?? sent.flow.replace
        goal = sent.flow.goal
        begun = sent.flow.started
        answered = sent
        isSilent = false
        isCrossBrowser = sent.flow.travel.isCrossBrowser
        isByLink = sent.flow.travel.isLinked
        sessionBefore = sent.flow.travel.isCrossBrowser ? nil : sent.session.record(call.sessionField)
    }

    var client: ClientDefinition { call.client }
    var sessionField: String { call.sessionField }
    var tokenField: String { call.tokenField }
    var userField: String { call.userField }

    var sessionEntry: MetaRecord.SessionEntry {
        MetaRecord.SessionEntry(
            field: sessionField, client: client.name, account: call.instance.account, issuer: signIn.tokens.issuer,
            subject: signIn.tokens.subject)
    }

    func tokenEntry(signedInAt: Timestamp, limitEnd: Timestamp?, epoch: UInt64) -> MetaRecord.TokenEntry {
        MetaRecord.TokenEntry(
            field: tokenField, client: client.name, account: call.instance.account, sessionField: sessionField,
            issuer: signIn.tokens.issuer, subject: signIn.tokens.subject, signedInAt: signedInAt, limitEnd: limitEnd,
            accessEnd: signIn.tokens.expiresAt, epoch: epoch)
    }

    /// What `user` will answer with.
    func userRecord(epoch: UInt64, _ renderer: any UserRenderer, at now: Timestamp) -> UserRecord {
        let facts = UserFacts(signIn.tokens, claims: claims, session: client.flows.sessionFacts(signIn.session))
        var record = UserRecord(signIn.tokens, facts, client, at: now)
        record.show(facts, by: renderer)
        record.epoch = epoch
        record.limitEnd = client.limits.absolute.map { now + $0 }
        return record
    }

    /// Tokens of another user in the same session storage or in the instance's own token storage.
    func conflicts(in meta: MetaRecord) -> [MetaRecord.TokenEntry] {
        meta.tokens.filter { entry in
            (entry.sessionField == sessionField || entry.field == tokenField)
                && !isSameUser(entry.issuer, entry.subject)
        }
    }

    /// What the sign-in makes useless at the provider.
    ///
    /// - Throws: `.subjectChanged` when it is of another user and `replace` was not said;
    ///   `.sessionChanged` when it built upon a provider session that was ended meanwhile.
    func revocable(in session: OpenedSession, _ meta: MetaRecord) throws(EditError) -> [Revocable] {
        let conflicts = conflicts(in: meta)
        // rule: another user takes no place unasked
        if !conflicts.isEmpty, !replace { throw .refused(.subjectChanged) }
        var revocable: [Revocable] = []
        for entry in meta.tokens where entry.field == tokenField || conflicts.contains(entry) {
            if let tokens = session.record(entry.field) { revocable.append(.tokens(tokens, entry.client)) }
        }
        let stored = session.record(sessionField)
        let entry = meta.sessions.first { $0.field == sessionField }
        guard signIn.sessionIsNew else {
            // rule: a session that was replaced gives no tokens
            guard let stored, let entry, stored == sessionBefore || goesOn(entry, in: meta) else {
                throw .refused(.sessionChanged)
            }
            return revocable
        }
        return revocable + formerSession(of: session, meta)
    }

    /// Whether a provider session that has taken the place of the one that the flow built upon is the same user's, as after a
    /// step-up: somebody has been signed in under it since before the flow began, so no logout has come between.
    private func goesOn(_ entry: MetaRecord.SessionEntry, in meta: MetaRecord) -> Bool {
        isSameUser(entry.issuer, entry.subject) && meta.firstSignIn(of: sessionField).map { $0 <= begun } ?? false
    }

    /// The provider session whose place the new one takes.
    ///
    /// Whoever it was of, and however it came there: a provider that upgrades a session ends the former one or not, and one
    /// that was signed in over lives on for hours.
    func formerSession(of session: OpenedSession, _ meta: MetaRecord) -> [Revocable] {
        guard let stored = session.record(sessionField), !isSigned(in: stored),
            let entry = meta.sessions.first(where: { $0.field == sessionField })
        else { return [] }
        return [.session(stored, entry.client)]
    }

    /// Whether the new provider session takes the place of the one in the store: the one that the flow built upon, of the
    /// same user.
    func upgradesSession(of session: OpenedSession, _ meta: MetaRecord) -> Bool {
        guard let entry = meta.sessions.first(where: { $0.field == sessionField }), let sessionBefore else {
            return false
        }
        return session.record(sessionField) == sessionBefore && isSameUser(entry.issuer, entry.subject)
    }

    /// Whether the provider knows the session that the flow built upon by something else now.
    var isRenamed: Bool {
        guard !signIn.sessionIsNew, let sessionBefore else { return false }
        return client.flows.isRenamed(session: signIn.session, since: sessionBefore)
    }

    /// Whether the provider session in the store is newer than the one the sign-in built upon.
    func keepsSession(of session: OpenedSession) -> Bool {
        guard !signIn.sessionIsNew, let stored = session.record(sessionField) else { return false }
        guard isRenamed, let sessionBefore else { return stored != sessionBefore }
        // What another client has kept with it since is no other name of it.
        return !client.flows.isSame(session: stored, sessionBefore)
            || client.flows.isRenamed(session: stored, since: sessionBefore)
    }

    /// Whether an encoded provider session is the one that the sign-in came with.
    func isSigned(in session: [UInt8]) -> Bool {
        client.flows.isSame(session: session, signIn.session)
    }

    private func isSameUser(_ issuer: String, _ subject: String) -> Bool {
        issuer.isSameText(as: signIn.tokens.issuer) && subject.isSameText(as: signIn.tokens.subject)
    }

    /// Bounds the tokens by what they prove, and notes when the user authenticated, before the sign-in is judged.
    mutating func bound(in session: OpenedSession?) {
        // rule: a silent sign-in proves nothing new
        if isSilent, let session {
            signIn.tokens = session.limiting(signIn.tokens, from: sessionField)
        }
        authTimes = (signIn.tokens.authTime, session?.formerAuthTime(of: sessionField))
        let first = session?.meta?.firstSignIn(of: sessionField)
        followsAtOnce = first.map { begun < $0 + .seconds(1) } ?? false
        // rule: times of tokens are bounded by the clock
        signIn.tokens = signIn.tokens.clamped
    }

    /// What the end of the flow means for the route whose API asked for it, see `StepUpGoal`; nil for any other flow.
    func raisedRoute(client: String?, at now: Timestamp) -> RaisedRoute? {
        goal?.raisedRoute(account: call.instance.account, client: client, at: now)
    }

    /// What the audit says of it, in a browser session.
    func facts(_ session: SessionKey?, reason: String? = nil) -> AuditFacts {
        var facts = AuditFacts(
            session, call.instance, signIn.tokens.person, reason: reason,
            more: goal?.auditMembers ?? [:])
        facts.flow = (answered?.flow.id).map(FlowDigest.init(of:))
        return facts
    }

    /// The line in the audit when the sign-in is refused.
    var refusedEvent: AuditEvent { goal == nil ? .signIn(.refused) : .stepUp(.missed) }

    /// What has to be ended at the provider when the sign-in is not stored; a session that was there goes on.
    var revocableUnlessStored: [Revocable] {
        let tokens = Revocable.tokens(signIn.tokens.encoded, client.name)
        return signIn.sessionIsNew ? [tokens, .session(signIn.session, client.name)] : [tokens]
    }
}

/// A sign-in as it was stored.
struct CompletedSignIn: Sendable {
    let node: FlowNode
    let credential: SessionCredential?
    let kept: FlowRecord.KeptAnswer?
    var isSuperseded = false
    /// What it has made useless at the provider and can be ended now.
    var revocable: [Revocable] = []
}
