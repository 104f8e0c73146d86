import Basics
import Cryptography
import StorageKit

/// Leaving for another site in the middle of a flow, and coming back.
///
/// Who comes back from there brings no session cookie, as browsers keep it from navigations that another site begins. So
/// leaving gives a cookie for that alone, which opens nothing but where to go on; coming back gives a handle; and the flow
/// goes on with both, the handle and the session that left.
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

    /// Spends a handle of the page that is shown now.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - handle: The last part of the page's `go`.
    ///   - cookie: The cookie that an earlier departure gave.
    ///   - context: The request.
    /// - Returns: Where the page sends its user; the way back for a handle that is used, or of another session or page.
    /// - Throws: `.unknownInstance`, `.storeUnavailable`.
    package func leave(
        _ name: String, _ handle: String, cookie: String?, _ context: CallContext
    ) async throws(BFFError) -> Leaving {
        let call = try environment.call(name, context)
        guard FlowRecord.isHandle(handle), let session = try await flows.sessions.open(context, [MetaRecord.field]),
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
        // Written down first: where the store fails in between, the handle is still good.
        let value = try await note(entry, behind: cookie)
        repeat {
            if try await spend(handle, by: question, of: flow, session) { return .to(departure, cookie: value) }
        } while try await outlastsPoll(flow, session, context)
        return expired
    }

    /// The flows of an instance, the newest last.
    ///
    /// A handle does not say of which flow it is, so that all of them are looked at: a second round trip to the store, and
    /// neither an index of handles nor a key for them.
    private func shownFlows(_ call: InstanceCall, _ session: OpenedSession) async throws(BFFError) -> [FlowRecord] {
        let now = environment.now()
        let ids = session.meta?.flows(of: call.instance).filter { now < $0.ends }.map(\.id) ?? []
        guard !ids.isEmpty else { return [] }
        let stored = try await flows.records.read(ids.map { FlowRecord.field($0) }, of: session)
        return ids.compactMap { stored.flow($0) }
    }

    /// The flow whose page is left by a handle, and the way out.
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

    /// Waits for a poll of the page that is on its way, which may change nothing: as an answer to the page does.
    ///
    /// - Returns: Whether there was one, and is none any more.
    private func outlastsPoll(
        _ flow: FlowRecord, _ session: OpenedSession, _ context: CallContext
    ) async throws(BFFError) -> Bool {
        func look() async throws(BFFError) -> Bool {
            // Another page that is polled has other handles.
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

    /// Uses up a handle.
    ///
    /// - Returns: False when it is not the one of the page that is shown now.
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

    /// Writes down who has left; gives the cookie, the same where it opens something.
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
                // Another cookie would forget who else has left.
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

    /// When nobody can go on any more who came back just in time.
    private func gone(_ entry: DeparturesRecord.Entry) -> Timestamp { entry.ends + settings.arrived }

    private func departures(_ place: SealedPlace) async throws(BFFError) -> (DeparturesRecord, UInt64)? {
        guard let content = try await place.read(store), let record = try? DeparturesRecord(decoding: content.bytes)
        else { return nil }
        return (record, content.revision)
    }

    // MARK: Coming back

    /// Takes what a site has brought back; no session is opened, nothing is stored, and nobody's departure is spent: any
    /// site can have a browser come here.
    ///
    /// - Parameters:
    ///   - client: The client that the address names.
    ///   - parameters: What came, in its order; only what the client knows is kept.
    ///   - cookie: The cookie that leaving gave.
    /// - Returns: Where the browser goes on.
    /// - Throws: `.unknownInstance`; `.repeated` for a name that comes twice; `.storeUnavailable`.
    package func arrive(
        _ client: String, _ parameters: [Departure.Field], cookie: String?
    ) async throws(BFFError) -> Arrival {
        let known = try known(parameters, at: client)
        let kept = Dictionary(known.map { ($0.name, $0.value) }) { first, _ in first }
        let now = environment.now()
        // An address that brings nothing is nobody's way back.
        guard !kept.isEmpty, let cookie, let place = SealedPlace(cookie, for: "departures"),
            let record = try await departures(place)?.0,
            let last = record.awaited(client, state: kept["state"], at: now).last
        else { return Arrival(target: settings.path(nil)) }
        let arrival = ArrivalRecord(
            client: client, departures: record.count, ends: now + settings.arrived, parameters: kept)
        return Arrival(target: settings.path(last.target), handle: arrival.handle(for: cookie))
    }

    /// What the client of an address knows of what a site has sent, in its order; nothing else goes on from here.
    ///
    /// - Throws: `.unknownInstance`; `.repeated` for a name that comes twice.
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

    /// Goes on with a flow: the page that sent the user away goes back to the provider with what they have brought.
    ///
    /// The tab says which flow it left, as providers need not. Its departure is spent then, and no other one; for a flow that
    /// is not meant nothing happens, and the handle is still good for the right one. The same handle again gets the same
    /// answer, as any step does.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - flow: The id of the flow that was left.
    ///   - handle: What `arrive` gave.
    ///   - cookie: The cookie that leaving gave.
    ///   - context: The request, with the session that left.
    /// - Returns: What the flow shows.
    /// - Throws: `.noPendingReturn` for another session, instance, flow, page or time; what `FlowSteps.next` throws besides.
    package func resume(
        _ name: String, _ flow: String, _ handle: String, cookie: String?, _ context: CallContext
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
        // The handle's minute may be over, but not that of the answer that it had.
        if let step = flow.answeredStep(request, at: environment.now()) {
            request.step = step
        } else {
            guard let acting = try await flows.sessions.open(context, []),
                acting.claims.status(at: environment.now()) == .current
            else { throw .sessionChanged }
            guard let brought, let place = cookie.flatMap({ SealedPlace($0, for: "departures") }),
                try await spend((brought, handle), behind: place, request, flow, call)
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

    /// Spends the departure from the page of a flow by what was brought back.
    ///
    /// - Returns: False where that is for another flow, or is nothing that the page goes on with; nothing is spent then.
    private func spend(
        _ brought: (record: ArrivalRecord, handle: String), behind place: SealedPlace, _ request: NextRequest,
        _ flow: FlowRecord, _ call: InstanceCall
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
    /// The step whose answer a request has already, as it is kept, or waits for; nil for a new request.
    fileprivate func answeredStep(_ request: NextRequest, at now: Timestamp) -> Int? {
        if case .sent(let sent, _) = phase, constantTimeEquals(sent, mac(of: request)) { return step }
        guard let kept else { return nil }
        var former = request
        former.step = kept.step
        if case .replay = decide(step: kept.step, mac: mac(of: former), at: now) { return kept.step }
        return nil
    }
}
