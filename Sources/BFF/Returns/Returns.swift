import Basics
import Cryptography
import Sessions
import StorageKit

/// Redirects to another site in the middle of a flow, and back.
///
/// A redirect back brings no session cookie, because browsers withhold it from navigations that another site begins. So
/// leaving sets a cookie for that purpose alone, which opens only the list of departures; coming back gives a handle;
/// and the flow continues with both the handle and the session that left.
package struct Returns: Sendable {
    private let flows: Flows
    private let steps: FlowSteps

    private var environment: Environment { flows.environment }
    private var settings: ReturnSettings { environment.settings.returns }
    private var store: any ByteStore { environment.store }

    init(_ flows: Flows, _ steps: FlowSteps) {
        self.flows = flows
        self.steps = steps
    }

    // MARK: Leaving

    /// Spends a handle of the page that is shown now, and says where the user goes.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - handle: The last part of the page's `go`.
    ///   - cookie: The cookie that an earlier departure gave; nil for none.
    ///   - context: The request.
    /// - Returns: The departure of the page; the way back for a handle that is used, of another session or page, or
    ///   that comes with a cookie that was replaced.
    /// - Throws: `.unknownInstance`, `.storeUnavailable`.
    package func leave(
        _ name: String, _ handle: String, cookie: String?, _ context: CallContext
    ) async throws(BFFError) -> Leaving {
        let call = try environment.call(name, context)
        guard FlowRecord.isHandle(handle), let session = try await opened(context),
            // rule: a cookie that was replaced leaves nowhere
            session.claims.status(at: environment.now()) == .current
        else { return .expired(target: settings.path(nil)) }
        let shown = try await shownFlows(call, session)
        let expired = Leaving.expired(target: settings.path(shown.last?.travel.target))
        guard let (flow, question, departure) = found(handle, among: shown, call.client) else { return expired }
        let page = FlowPlace(instance: flow.instance, flow: flow.id, step: flow.step)
        let now = environment.now()
        let entry = DeparturesRecord.Entry(
            page: page, target: flow.travel.target, state: departure.state, ends: now + ReturnSettings.away)
        // The departure is stored first: if the store fails in between, the handle is still valid.
        let value = try await note(entry, behind: cookie)
        repeat {
            if try await spend(handle, by: question, of: flow, session) { return .to(departure, cookie: value) }
        } while try await outlastsPoll(flow, session, context)
        return expired
    }

    /// Opens the session of a request that leaves; nil if its cookie opens none or is being replaced, or lacks
    /// its device's proof.
    ///
    /// A navigation shows its answer to the user, so it gets no problem that only a script can handle: the user is sent
    /// back to the application, which has the new cookie then.
    private func opened(_ context: CallContext) async throws(BFFError) -> OpenedSession? {
        do throws(BFFError) {
            return try await flows.sessions.open(context, [MetaRecord.field])
        } catch {
            switch error {
            case .sessionChanged, .deviceProofRequired, .deviceProofMissing: return nil
            default: throw error
            }
        }
    }

    /// Reads the flows of an instance, the newest last.
    ///
    /// A handle does not name its flow, so all flows are read: this costs a second round trip to the store, but needs
    /// neither an index of handles nor a key for them.
    private func shownFlows(_ call: InstanceCall, _ session: OpenedSession) async throws(BFFError) -> [FlowRecord] {
        let now = environment.now()
        let ids = session.meta?.flows(of: call.instance).filter { now < $0.ends }.map(\.id) ?? []
        guard !ids.isEmpty else { return [] }
        let stored = try await flows.records.read(ids.map { FlowRecord.field($0) }, of: session)
        return ids.compactMap { stored.flow($0) }
    }

    /// The flow whose page is left by a handle, the question that has the handle, and the departure; nil for none.
    private func found(
        _ handle: String, among shown: [FlowRecord], _ client: ClientDefinition
    ) -> (flow: FlowRecord, question: String, departure: Departure)? {
        for flow in shown {
            guard let opened = try? flows.open(flow, client) else { continue }
            for (question, departure) in opened.departures where flow.isDeparture(handle, by: question) {
                return (flow, question, departure)
            }
        }
        return nil
    }

    /// Waits for a poll of the page that is in flight, which may change nothing: an answer to the page waits likewise.
    ///
    /// - Returns: True if there was a poll and it has ended before the deadline.
    private func outlastsPoll(
        _ flow: FlowRecord, _ session: OpenedSession, _ context: CallContext
    ) async throws(BFFError) -> Bool {
        func look() async throws(BFFError) -> Bool {
            // The poll of another page does not matter, because that page has other handles.
            guard let now = try await flows.records.reopen(session).flow(flow.id), now.step == flow.step else {
                return false
            }
            return now.isPolled(at: environment.now())
        }
        do throws(BFFError) {
            guard try await look() else { return false }
            let limit = context.deadline - environment.settings.reserve / 2
            let isOver = try await environment.waits.value(of: .session(session.key), until: limit) {
                () throws(BFFError) -> Bool? in try await look() ? nil : true
            }
            return isOver ?? false
        } catch .signedOut {
            return false
        }
    }

    /// Consumes a handle: the page has other handles from then on.
    ///
    /// - Returns: False when it is not a handle of the page that is shown now.
    private func spend(
        _ handle: String, by question: String, of flow: FlowRecord, _ session: OpenedSession
    ) async throws(BFFError) -> Bool {
        do {
            return try await flows.records.edit(session) { fresh, edit throws(EditError) in
                // rule: a page is left while it is shown
                guard var current = fresh.flow(flow.id), current.phase == .ready,
                    self.environment.now() < current.ends, current.isDeparture(handle, by: question)
                else { return false }
                // rule: a handle is used once
                current.travel.departures += 1
                try edit.put(current, expires: current.ends + self.environment.settings.keptAnswer)
                return true
            }
        } catch .signedOut {
            return false
        }
    }

    /// Stores a departure; returns the cookie for it, which is the given cookie if that opens departures already.
    private func note(_ entry: DeparturesRecord.Entry, behind cookie: String?) async throws(BFFError) -> String {
        let now = environment.now()
        if let cookie, let place = SealedPlace(cookie, for: "departures") {
            var tries = 0
            while let (record, revision) = try await departures(place) {
                var changed = record
                changed.add(entry, limit: settings.departures, at: now)
                if try await place.write(changed.encoded, over: revision, expires: gone(entry), store) {
                    return cookie
                }
                tries += 1
                // A new cookie would forget the other departures.
                guard tries < 8 else { throw .storeUnavailable(retryAfter: .seconds(1)) }
            }
        }
        let secret = SealedPlace.newSecret()
        var record = DeparturesRecord()
        record.add(entry, limit: settings.departures, at: now)
        guard let place = SealedPlace(secret, for: "departures"),
            try await place.write(record.encoded, expires: gone(entry), store)
        else { throw .storeUnavailable(retryAfter: .seconds(1)) }
        return secret
    }

    /// The instant after which a departure is of no use, even to a user who came back just in time.
    private func gone(_ entry: DeparturesRecord.Entry) -> Timestamp { entry.ends + settings.arrived }

    private func departures(_ place: SealedPlace) async throws(BFFError) -> (DeparturesRecord, UInt64)? {
        guard let content = try await place.read(store), let record = try? DeparturesRecord(decoding: content.bytes)
        else { return nil }
        return (record, content.revision)
    }

    // MARK: Coming back

    /// Takes the redirect back from another site.
    ///
    /// It opens no session, stores nothing and spends no departure, because any site can send a browser here.
    ///
    /// - Parameters:
    ///   - client: The client that the address names.
    ///   - parameters: The parameters of the request, in its order; only those that the client knows are kept.
    ///   - cookie: The cookie that leaving gave; nil when the browser sent none.
    /// - Returns: The redirect into the application.
    /// - Throws: `.unknownInstance`; `.repeated` for a name that occurs twice; `.storeUnavailable`.
    package func arrive(
        _ client: String, _ parameters: [Departure.Field], cookie: String?
    ) async throws(BFFError) -> Arrival {
        let known = try known(parameters, at: client)
        let kept = Dictionary(known.map { ($0.name, $0.value) }) { first, _ in first }
        let now = environment.now()
        // A request without known parameters is no return.
        guard !kept.isEmpty, let cookie, let place = SealedPlace(cookie, for: "departures"),
            let record = try await departures(place)?.0,
            let last = record.awaited(client, state: kept["state"], at: now).last
        else { return Arrival(target: settings.path(nil)) }
        let arrival = ArrivalRecord(
            client: client, departures: record.count, ends: now + settings.arrived, parameters: kept)
        return Arrival(target: settings.path(last.target), handle: arrival.handle(for: cookie))
    }

    /// The parameters of a redirect back that the client of the address knows, in their order; all others are dropped.
    ///
    /// - Throws: `.unknownInstance`; `.repeated` for a name that occurs twice.
    package func known(_ sent: [Departure.Field], at client: String) throws(BFFError) -> [Departure.Field] {
        let (instance, definition) = try environment.resolve(client)
        // rule: a return names a client alone
        guard instance.account.isEmpty else { throw .unknownInstance }
        let known = sent.filter { definition.flows.returnNames.contains($0.name) }
        var names: Set<String> = []
        // rule: nothing occurs twice in a return
        for field in known where !names.insert(field.name).inserted { throw .repeated(field: field.name) }
        return known
    }

    // MARK: Going on

    /// Continues a flow: sends the parameters of a return to the provider, for the page that sent the user away.
    ///
    /// The tab says which flow it left, because providers need not. The departure of that flow is spent, and no other;
    /// for a flow that the return does not belong to nothing happens, and the handle stays valid for the right one. A
    /// repeat with the same handle gets the same answer, like a repeat of any step.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - flow: The id of the flow that was left.
    ///   - handle: The handle that `arrive` gave.
    ///   - cookie: The cookie that leaving gave.
    ///   - context: The request, with the session that left.
    /// - Returns: The node that the flow shows.
    /// - Throws: `.noPendingReturn` for a handle of another session, instance, flow or page, or an expired one; the
    ///   other errors of `FlowSteps.next`.
    package func resume(
        _ name: String, flow: String, handle: String, cookie: String?, _ context: CallContext
    ) async throws(BFFError) -> Reply<FlowNode> {
        let call = try environment.call(name, context)
        guard FlowRecord.isID(flow),
            let session = try await flows.sessions.open(context, [FlowRecord.field(flow)], for: .answers),
            let flow = session.flow(flow), flow.instance == call.instance
        else { throw .noPendingReturn }
        let brought = cookie.flatMap { ArrivalRecord(handle: handle, cookie: $0, at: environment.now()) }
        var answers = PageAnswers()
        answers.returned = brought?.parameters ?? [:]
        var request = NextRequest(flow: flow.id, step: flow.step, answers: answers, identity: .handle(handle))
        // The handle may have expired while the kept answer to it has not.
        if let step = flow.answeredStep(request, at: environment.now()) {
            request.step = step
        } else {
            guard let acting = try await flows.sessions.open(context, []),
                acting.claims.status(at: environment.now()) == .current
            else { throw .sessionChanged }
            guard let brought, let place = cookie.flatMap({ SealedPlace($0, for: "departures") }),
                try await spend((brought, handle), behind: place, answering: request, of: flow, call)
            else {
                throw .noPendingReturn
            }
        }
        do {
            return try await steps.next(name, request, context)
        } catch .flowExpired, .staleStep, .invalidAnswers {
            throw .noPendingReturn
        }
    }

    /// Spends the departure from the page of a flow by a return.
    ///
    /// - Returns: False if the return belongs to another flow, or the page cannot continue with it; nothing is spent
    ///   then.
    private func spend(
        _ brought: (record: ArrivalRecord, handle: String), behind place: SealedPlace, answering request: NextRequest,
        of flow: FlowRecord, _ call: InstanceCall
    ) async throws(BFFError) -> Bool {
        guard let opened = try? flows.open(flow, call.client), case .right = opened.judge(request.answers) else {
            return false
        }
        let page = FlowPlace(instance: flow.instance, flow: flow.id, step: flow.step)
        let digest = Digest.hash(Array(brought.handle.utf8))
        for _ in 0..<8 {
            guard let (known, revision) = try await departures(place) else { return false }
            var record = known
            // rule: a return is for the flow that left
            guard record.spend(page, by: brought.record, digest) else { return false }
            let ends = record.entries.map { gone($0) }.max() ?? brought.record.ends
            guard record != known else { return true }
            if try await place.write(record.encoded, over: revision, expires: ends, store) { return true }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }
}

extension FlowRecord {
    /// The step that a repeated request has answered, with the answer kept or in flight; nil for a new request.
    fileprivate func answeredStep(_ request: NextRequest, at now: Timestamp) -> Int? {
        if case .sent(let sent, _) = phase, constantTimeEquals(sent, mac(of: request)) { return step }
        guard let kept else { return nil }
        var former = request
        former.step = kept.step
        if case .replay = decide(step: kept.step, mac: mac(of: former), at: now) { return kept.step }
        return nil
    }
}
