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

    /// The flow that a handle of `go` or `resume` names; nil for what is no handle.
    package static func flow(ofHandle handle: String) -> String? {
        guard handle.isWord(44...65) else { return nil }
        let id = "f_" + handle.prefix(22)
        return FlowRecord.isID(id) ? id : nil
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
        guard let id = Self.flow(ofHandle: handle),
            let session = try await flows.sessions.open(context, [FlowRecord.field(id)]), let flow = session.flow(id),
            flow.instance == call.instance
        else { return .expired(target: settings.path(nil)) }
        let expired = Leaving.expired(target: settings.path(flow.travel.target))
        // rule: a cookie that was replaced leaves nowhere
        guard session.claims.status(at: environment.now()) == .current, let opened = try? flows.open(flow, call.client),
            let (question, departure) = opened.departures.first(where: { flow.isDeparture(handle, by: $0.key) })
        else { return expired }
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
                if try await place.write(changed.encoded, over: revision, expires: entry.ends, store) { return cookie }
                tries += 1
                // Another cookie would forget who else has left.
                guard tries < 8 else { throw .storeUnavailable(retryAfter: .seconds(1)) }
            }
        }
        let secret = SealedPlace.newSecret()
        let record = DeparturesRecord(entries: [entry])
        guard let place = SealedPlace(secret, for: "departures"),
            try await place.write(record.encoded, expires: entry.ends, store)
        else { throw .storeUnavailable(retryAfter: .seconds(1)) }
        return secret
    }

    private func departures(_ place: SealedPlace) async throws(BFFError) -> (DeparturesRecord, UInt64)? {
        guard let content = try await place.read(store), let record = try? DeparturesRecord(decoding: content.bytes)
        else { return nil }
        return (record, content.revision)
    }

    // MARK: Coming back

    /// Takes what a site has brought back; no session is opened, and none is touched.
    ///
    /// - Parameters:
    ///   - client: The client that the address names.
    ///   - parameters: What came, in its order; only what the client knows is kept.
    ///   - cookie: The cookie that leaving gave.
    /// - Returns: Where the browser goes on.
    /// - Throws: `.unknownInstance`; `.malformed` for a name that comes twice; `.storeUnavailable`.
    package func arrive(
        _ client: String, _ parameters: [Departure.Field], cookie: String?
    ) async throws(BFFError) -> Arrival {
        let (instance, definition) = try environment.resolve(client)
        // rule: a return names a client alone
        guard instance.account.isEmpty else { throw .unknownInstance }
        var kept: [String: String] = [:]
        for parameter in parameters where definition.flows.returnNames.contains(parameter.name) {
            // rule: nothing occurs twice in a return
            guard kept.updateValue(parameter.value, forKey: parameter.name) == nil else {
                throw .malformed(field: parameter.name)
            }
        }
        // An address that brings nothing is nobody's way back.
        guard !kept.isEmpty, let place = cookie.flatMap({ SealedPlace($0, for: "departures") }),
            let entry = try await take(client, kept["state"], place)
        else { return Arrival(target: settings.path(nil)) }
        let secret = SealedPlace.newSecret()
        let record = ArrivalRecord(page: entry.page, parameters: kept)
        guard let place = SealedPlace(secret, for: "arrival"),
            try await place.write(record.encoded, expires: environment.now() + settings.arrived, store)
        else { throw .storeUnavailable(retryAfter: .seconds(1)) }
        return Arrival(target: settings.path(entry.target), handle: entry.page.flow.dropFirst(2) + secret)
    }

    /// Takes out who has come back: of two who come at once with the same, one is.
    private func take(
        _ client: String, _ state: String?, _ place: SealedPlace
    ) async throws(BFFError) -> DeparturesRecord.Entry? {
        for _ in 0..<8 {
            let now = environment.now()
            guard let (known, revision) = try await departures(place) else { return nil }
            var record = known
            guard let entry = record.take(client, state: state, at: now) else { return nil }
            let end = record.entries.map(\.ends).max() ?? now + ReturnSettings.away
            if try await place.write(record.encoded, over: revision, expires: end, store) { return entry }
        }
        throw .storeUnavailable(retryAfter: .seconds(1))
    }

    /// Keeps a form that came without the cookie, as browsers send forms of other sites.
    ///
    /// - Parameter form: The form as it came.
    /// - Returns: What names it for `form(_:)`, for a minute.
    /// - Throws: `.storeUnavailable`.
    package func keep(_ form: [UInt8]) async throws(BFFError) -> String {
        let secret = SealedPlace.newSecret()
        guard let place = SealedPlace(secret, for: "form"),
            try await place.write(form, expires: environment.now() + settings.arrived, store)
        else { throw .storeUnavailable(retryAfter: .seconds(1)) }
        return secret
    }

    /// A form that was kept; nil for a name of none.
    ///
    /// - Throws: `.storeUnavailable`.
    package func form(_ secret: String) async throws(BFFError) -> [UInt8]? {
        try await SealedPlace(secret, for: "form")?.read(store)?.bytes
    }

    // MARK: Going on

    /// Goes on with a flow: the page that sent the user away goes back to the provider with what they have brought.
    ///
    /// The same handle again gets the same answer, as any step does.
    ///
    /// - Parameters:
    ///   - name: The instance.
    ///   - handle: What `arrive` gave.
    ///   - context: The request, with the session that left.
    /// - Returns: What the flow shows.
    /// - Throws: `.noPendingReturn` for another session, instance, page or time; what `FlowSteps.next` throws besides.
    package func resume(
        _ name: String, _ handle: String, _ context: CallContext
    ) async throws(BFFError) -> Reply<FlowNode> {
        let call = try environment.call(name, context)
        guard let id = Self.flow(ofHandle: handle), let place = SealedPlace(handle.dropFirst(22), for: "arrival"),
            let session = try await flows.sessions.open(context, [FlowRecord.field(id)], for: .answers),
            let flow = session.flow(id), flow.instance == call.instance
        else { throw .noPendingReturn }
        let arrival = try await place.read(store).flatMap { try? ArrivalRecord(decoding: $0.bytes) }
        if let page = arrival?.page {
            // rule: a return is for the flow that left
            guard page.instance == flow.instance, page.flow == id else { throw .noPendingReturn }
        }
        var answers = PageAnswers()
        answers.returned = arrival?.parameters
        // Its minute may be over, but not that of the answer that it had.
        let step = arrival?.page.step ?? flow.kept?.step ?? flow.step
        let body = [0] + "resume ".utf8 + handle.utf8
        let request = NextRequest(flow: id, step: step, answers: answers, body: body)
        if arrival == nil {
            switch flow.decide(step: step, mac: flow.mac(of: request), at: environment.now()) {
            case .replay, .wait: break
            case .send, .early, .stale, .outcomeUnknown, .expired: throw .noPendingReturn
            }
        }
        do {
            return try await steps.next(name, request, context)
        } catch .flowExpired, .staleStep, .invalidAnswers {
            throw .noPendingReturn
        }
    }
}
