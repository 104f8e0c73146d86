import Basics
import Cryptography
import JSON
import StorageKit

extension Backend {
    /// Begins a flow of an instance; makes a session when the browser has none.
    ///
    /// - Throws: `.unknownInstance`, `.notAllowed`, `.tooManyAccounts`, `.sessionChanged`, `.subjectChanged`,
    ///   `.providerUnavailable` when nothing reached the provider, `.storeUnavailable`.
    public func start(
        _ name: String, _ request: StartRequest, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let (instance, definition) = try resolve(name)
        try check(request, against: definition.allowed)
        let session = try await openToStart(instance, definition, request.goal, context)
        let (request, goal) = try stepUp(request, instance, definition, session)
        // Not cancelled with the connection: a flow that ends in a sign-in is stored or undone, never left half.
        let begun = time.now()
        let work = Task { () async -> Result<Reply, BFFError> in
            do throws(BFFError) {
                let before = session?.record(definition.sessionField(instance.account))
                guard let outcome = try? await definition.client.start(request, caller(definition, before, context))
                else { return .failure(.cancelled) }
                return .success(
                    try await begin(outcome, instance, definition, request, goal, begun, session, context))
            } catch {
                return .failure(error)
            }
        }
        return try await work.value.get()
    }

    /// The session to start in; nil when the browser has none, or one whose table of contents is lost.
    private func openToStart(
        _ instance: InstanceName, _ definition: ClientDefinition, _ goal: String?, _ context: CallContext
    ) async throws(BFFError) -> OpenedSession? {
        let sessionField = definition.sessionField(instance.account)
        var fields = [MetaRecord.field, sessionField, ProofRecord.field(besides: sessionField)]
        if let goal, StepUpChallenge.isID(goal) { fields.append(StepUpChallenge.field(goal)) }
        guard let session = try await open(context, fields) else { return nil }
        guard session.claims.standing(at: time.now()) == .current else { throw .sessionChanged }
        guard let meta = session.meta else { return nil }
        do {
            try checkAccounts(meta, instance)
        } catch {
            throw error.forCaller
        }
        return session
    }

    private func begin(
        _ outcome: SignInOutcome, _ instance: InstanceName, _ definition: ClientDefinition, _ request: StartRequest,
        _ goal: StepUpGoal?, _ begun: Timestamp, _ session: OpenedSession?, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        let kind = definition.client.kind
        switch outcome {
        case .page(let position):
            return try await store(newFlow(instance, position, request, goal, session), definition, session)
        case .refused(let position, let message, let details):
            var flow = newFlow(instance, position, request, goal, session)
            flow.refusal = FlowRecord.Refusal(message, details)
            return try await store(flow, definition, session)
        case .failure(let failure, let orphan):
            if let orphan { await undo([.session(orphan, definition.name)], context) }
            // One of the configuration: what the provider does not know of it is named.
            audit(context, failure, instance, journey: request.journey ?? definition.allowed.journeys.first)
            if goal == nil, let offer = offer(after: failure, instance, definition) { throw .stepUpRequired(offer) }
            return Reply(NodeDocument.failure(nil, kind, failure))
        case .success(let signIn):
            return try await finish(signIn, instance, definition, request, goal, begun, session, context)
        case .successWithoutSession:
            return Reply(NodeDocument.success(nil, kind, user: nil))
        case .notTaken(let wait):
            throw .providerUnavailable(retryAfter: wait)
        }
    }

    /// Stores a sign-in that needed no page.
    private func finish(
        _ signIn: SignIn, _ instance: InstanceName, _ definition: ClientDefinition, _ request: StartRequest,
        _ goal: StepUpGoal?, _ begun: Timestamp, _ session: OpenedSession?, _ context: CallContext
    ) async throws(BFFError) -> Reply {
        do {
            let plan = SignInPlan(
                signIn: signIn, instance: instance, definition: definition, replace: request.replace, goal: goal,
                begun: begun, answered: nil, isForced: request.forceAuth, session: session)
            let completed = try await finishSignIn(plan, session, context)
            // One that came while the cookie was replaced is stored; the browser has the newer cookie by now.
            return Reply(completed.node, cookie: completed.credential.map { .set($0.cookieValue) } ?? .keep)
        } catch .signedOut {
            // The session ended while the provider answered.
            throw .sessionChanged
        }
    }

    private func newFlow(
        _ instance: InstanceName, _ position: FlowPosition, _ request: StartRequest, _ goal: StepUpGoal?,
        _ session: OpenedSession?
    ) -> FlowRecord {
        let now = time.now()
        return FlowRecord(
            id: FlowRecord.newID(), instance: instance, started: now, ends: now + settings.flow,
            macKey: SecureRandom.bytes(32), step: 1, phase: .ready, position: position,
            // Whoever began it before anyone had signed in had nothing to replace: a cookie from then may have been
            // planted, and its flows must not change who is signed in.
            replace: request.replace && session?.claims.isSignedIn == true, noSession: request.noSession,
            goal: goal)
    }

    /// Stores a new flow, in the browser's session or in a new one.
    private func store(
        _ flow: FlowRecord, _ definition: ClientDefinition, _ session: OpenedSession?
    ) async throws(BFFError) -> Reply {
        let node = try render(flow, definition)
        guard let session else { return Reply(node, cookie: .set(try await store(flow))) }
        do {
            try await edit(session) { session, edit throws(EditError) in
                guard session.claims.standing(at: self.time.now()) == .current, var meta = session.meta else {
                    throw .refused(.sessionChanged)
                }
                try self.checkAccounts(meta, flow.instance)
                self.makeRoom(for: flow, session, &meta, &edit)
                try edit.put(MetaRecord.field, meta.encoded)
                try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: flow.ends + self.settings.keptAnswer)
                if !meta.isSignedIn {
                    edit.expires = min(max(session.snapshot.expires ?? flow.ends, flow.ends), meta.absoluteEnd)
                }
            }
            return Reply(node)
        } catch .signedOut {
            // The session ended while the provider answered: the flow begins a new one.
            return Reply(node, cookie: .set(try await store(flow)))
        }
    }

    /// Stores a flow as the first of a new session; gives the cookie.
    private func store(_ flow: FlowRecord) async throws(BFFError) -> String {
        do {
            var (edit, credential, meta) = try newSession(isSignedIn: false)
            meta.flows = [flow.entry]
            edit.expires = min(max(edit.expires ?? flow.ends, flow.ends), meta.absoluteEnd)
            try edit.put(MetaRecord.field, meta.encoded)
            try edit.put(FlowRecord.field(flow.id), flow.encoded, expires: flow.ends + settings.keptAnswer)
            try await commit(edit)
            if let oldest = anonymous.add(credential.sessionKey) { await evict(oldest) }
            return credential.cookieValue
        } catch {
            throw error.forCaller
        }
    }

    /// At most so many flows per instance, and so many bytes of all flows: the oldest idle one goes.
    private func makeRoom(
        for flow: FlowRecord, _ session: OpenedSession, _ meta: inout MetaRecord, _ edit: inout SessionEdit
    ) {
        let now = time.now()
        for entry in meta.flows where entry.ends <= now {
            edit.delete(FlowRecord.field(entry.id))
        }
        meta.flows.removeAll { $0.ends <= now }
        func isIdle(_ entry: MetaRecord.FlowEntry) -> Bool {
            session.flow(entry.id).map { !$0.isSent(at: now) } ?? true
        }
        func drop(_ entry: MetaRecord.FlowEntry) {
            edit.delete(FlowRecord.field(entry.id))
            meta.flows.removeAll { $0.id == entry.id }
        }
        while case let others = meta.flows(of: flow.instance), others.count >= settings.flowsPerInstance {
            drop(others.first(where: isIdle) ?? others[0])
        }
        // The store bounds a session: large pages must not fill it, and so refuse every start until they expire.
        func size(_ id: String) -> Int { session.snapshot[FlowRecord.field(id)]?.value.count ?? 0 }
        while meta.flows.reduce(flow.encoded.count, { $0 + size($1.id) }) > settings.flowBytes,
            let oldest = meta.flows.first(where: isIdle)
        {
            drop(oldest)
        }
        meta.flows.append(flow.entry)
    }

    /// One account more than may be is refused.
    func checkAccounts(_ meta: MetaRecord, _ instance: InstanceName) throws(EditError) {
        let accounts = meta.accounts(at: time.now())
        guard accounts.contains(instance.account) || accounts.count < settings.accounts else {
            throw .refused(.tooManyAccounts(limit: settings.accounts))
        }
    }

    private func check(_ request: StartRequest, against allowed: StartAllowance) throws(BFFError) {
        if let journey = request.journey, !allowed.journeys.contains(journey) { throw .notAllowed(field: "journey") }
        if !Set(request.acrValues).isSubset(of: allowed.acrValues) { throw .notAllowed(field: "acrValues") }
        if let prompt = request.prompt, !allowed.prompts.contains(prompt) { throw .notAllowed(field: "prompt") }
        for name in request.parameters.keys.sorted() where !allowed.parameters.contains(name) {
            throw .notAllowed(field: "parameters")
        }
    }
}

extension FlowRecord {
    var entry: MetaRecord.FlowEntry {
        MetaRecord.FlowEntry(
            id: id, client: instance.client, account: instance.account, started: started, ends: ends)
    }

    func isSent(at now: Timestamp) -> Bool {
        if case .sent(_, let deadline) = phase { now < deadline } else { false }
    }
}

extension OpenedSession {
    /// A flow of the session, when it was read.
    func flow(_ id: String) -> FlowRecord? {
        decoded(FlowRecord.field(id)) { bytes throws(RecordReader.Malformed) in try FlowRecord(decoding: bytes) }
    }
}
