import Basics
import JSON
import OpenIDConnect
import Sessions
import StorageKit

/// A completed sign-in that is about to be stored: where it is stored, and which records and sessions it displaces.
struct SignInPlan: Sendable {
    var signIn: SignIn
    /// When the user authenticated in this and in the former sign-in, as the provider said; both times are of the
    /// provider's clock.
    var authTimes: (stated: Timestamp?, former: Timestamp?) = (nil, nil)
    /// True if the flow began less than a second after the first sign-in with its provider session was stored, or
    /// before it.
    var followsAtOnce = false
    var claims: JSONObject?
    let call: InstanceCall
    let replace: Bool
    /// The goal of a step-up; nil for any other flow.
    let goal: StepUpGoal?
    /// When the flow began.
    let begun: Timestamp
    /// The step whose answer completed the flow; nil for a sign-in that needed no page.
    let answered: SentStep?
    /// True if the provider session alone brought the tokens: the user was asked nothing, and nothing was forced.
    let isSilent: Bool
    /// True if the use of an instance without tokens caused the sign-in, without a request for it; it replaces no user.
    var isByUse = false
    /// True if the flow began with a link for which no flow of this browser waited.
    let isCrossBrowser: Bool
    /// True if the flow began with a link: then a sign-in of another user has to be confirmed.
    var isByLink = false
    /// The unconfirmed sign-in that this plan stores after its confirmation; nil for any other.
    var confirmed: UnconfirmedSignIn?
    /// The relation of the session to the browser's device, for the audit; nil before the sign-in is stored.
    var device: AuditedDevice?
    /// The provider session that the flow built upon; nil if there was none.
    let sessionBefore: [UInt8]?

    /// A sign-in that needed no page; its claims are read later.
    init(_ signIn: SignIn, _ work: StartWork) {
        self.signIn = signIn
        call = work.call
        replace = work.request.replace
        goal = work.goal
        begun = work.begun
        answered = nil
        isSilent = !signIn.sessionIsNew && !work.call.client.flows.isForced(work.request)
        isCrossBrowser = work.isCrossBrowser
        isByLink = work.request.isResumed
        sessionBefore = work.isCrossBrowser ? nil : work.session?.record(work.call.sessionField)
    }

    /// A sign-in that a step completed; its claims are read later.
    ///
    /// It replaces another user if the flow was started so, unless `replace` says otherwise.
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

    /// The facts that the browser may see.
    var userFacts: UserFacts {
        UserFacts(signIn.tokens, claims: claims, session: client.flows.sessionFacts(signIn.session))
    }

    /// The record from which `user` will answer.
    func userRecord(epoch: UInt64, _ renderer: any UserRenderer, at now: Timestamp) -> UserRecord {
        let facts = userFacts
        var record = UserRecord(signIn.tokens, facts, client, at: now)
        record.show(facts, by: renderer)
        record.epoch = epoch
        record.limitEnd = client.limitEnd(of: signIn.tokens, signedInAt: now)
        return record
    }

    /// Tokens of another user in the same session storage, or in the instance's own token storage.
    func conflicts(in meta: MetaRecord) -> [MetaRecord.TokenEntry] {
        meta.tokens.filter { entry in
            (entry.sessionField == sessionField || entry.field == tokenField)
                && !isSameUser(entry.issuer, entry.subject)
        }
    }

    /// The tokens and sessions that the sign-in makes useless at the provider.
    ///
    /// - Throws: `.subjectChanged` when the sign-in is of another user and `replace` is false; `.sessionChanged` when
    ///   it built upon a provider session that was ended meanwhile.
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

    /// True if the stored provider session, which replaced the one that the flow built upon, is of the same user, as
    /// after a step-up.
    ///
    /// A user has been signed in with it since before the flow began, so no logout came between.
    private func goesOn(_ entry: MetaRecord.SessionEntry, in meta: MetaRecord) -> Bool {
        isSameUser(entry.issuer, entry.subject) && meta.firstSignIn(of: sessionField).map { $0 <= begun } ?? false
    }

    /// The provider session that the new one replaces.
    ///
    /// It is ended whichever user it was of, and however it came there: some providers end the former session at an
    /// upgrade and some do not, and a session that another sign-in replaced lives on for hours.
    func formerSession(of session: OpenedSession, _ meta: MetaRecord) -> [Revocable] {
        guard let stored = session.record(sessionField), !isSigned(in: stored),
            let entry = meta.sessions.first(where: { $0.field == sessionField })
        else { return [] }
        return [.session(stored, entry.client)]
    }

    /// True if the stored provider session is the one that the flow built upon, of the same user, so that the new one
    /// may replace it.
    func upgradesSession(of session: OpenedSession, _ meta: MetaRecord) -> Bool {
        guard let entry = meta.sessions.first(where: { $0.field == sessionField }), let sessionBefore else {
            return false
        }
        return session.record(sessionField) == sessionBefore && isSameUser(entry.issuer, entry.subject)
    }

    /// True if the provider knows the session that the flow built upon by another name now.
    var isRenamed: Bool {
        guard !signIn.sessionIsNew, let sessionBefore else { return false }
        return client.flows.isRenamed(session: signIn.session, since: sessionBefore)
    }

    /// True if the stored provider session is newer than the one that the sign-in built upon.
    func keepsSession(of session: OpenedSession) -> Bool {
        guard !signIn.sessionIsNew, let stored = session.record(sessionField) else { return false }
        guard isRenamed, let sessionBefore else { return stored != sessionBefore }
        // Facts that another client has stored with the session since do not rename it.
        return !client.flows.isSame(session: stored, sessionBefore)
            || client.flows.isRenamed(session: stored, since: sessionBefore)
    }

    /// True if an encoded provider session is the session of this sign-in.
    func isSigned(in session: [UInt8]) -> Bool {
        client.flows.isSame(session: session, signIn.session)
    }

    private func isSameUser(_ issuer: String, _ subject: String) -> Bool {
        issuer.isSameText(as: signIn.tokens.issuer) && subject.isSameText(as: signIn.tokens.subject)
    }

    /// Limits the tokens to the facts that they prove, and notes when the user authenticated, before the sign-in is
    /// judged.
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

    /// The note for the route whose API asked for the flow, see `StepUpGoal`; nil for any other flow.
    func raisedRoute(client: String?, at now: Timestamp) -> RaisedRoute? {
        goal?.raisedRoute(account: call.instance.account, client: client, at: now)
    }

    /// The audit's facts about the sign-in, in a browser session.
    func facts(_ session: SessionKey?, reason: String? = nil) -> AuditFacts {
        var facts = AuditFacts(
            session, call.instance, signIn.tokens.person, reason: reason,
            more: goal?.auditMembers ?? [:])
        if let device { facts.more["device"] = device.rawValue }
        facts.flow = (answered?.flow.id).map(FlowDigest.init(of:))
        return facts
    }

    /// The audit's event for a refused sign-in.
    var refusedEvent: AuditEvent { goal == nil ? .signIn(.refused) : .stepUp(.missed) }

    /// The tokens and sessions to be ended at the provider if the sign-in is not stored; a session that existed before
    /// goes on.
    var revocableUnlessStored: [Revocable] {
        let tokens = Revocable.tokens(signIn.tokens.encoded, client.name)
        return signIn.sessionIsNew ? [tokens, .session(signIn.session, client.name)] : [tokens]
    }
}

/// The result of a sign-in that was stored or refused.
struct CompletedSignIn: Sendable {
    let node: FlowNode
    let credential: SessionCredential?
    let kept: FlowRecord.KeptAnswer?
    var isSuperseded = false
    /// The tokens and sessions that the sign-in made useless, to be ended at the provider now.
    var revocable: [Revocable] = []
}
