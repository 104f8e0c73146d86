import Basics
import HTTPCore
import HTTPServer
import IdentitySimulator

/// The way of one machine to the provider: it takes time, loses requests and answers, and hangs.
///
/// Sendable invariant: one thread, as of `World`.
final class ProviderLink: @unchecked Sendable {
    /// What becomes of a request.
    private enum Fate: String {
        case fine
        case notReached = "the provider is not reached"
        case tooMany = "the provider has too much to do"
        case unavailable = "the provider is not available"
        case failure = "the provider fails"
        case lost = "an answer of the provider is lost"
        case hangsBefore = "the provider hangs before it acts"
        case hangsAfter = "the provider acts and hangs"
    }

    private let world: World
    private let mix: Mix
    private let weather: Weather
    private let provider: InProcessSimulator
    private let ledger: Ledger
    private let process: Process

    init(_ surroundings: Surroundings, _ process: Process) {
        world = surroundings.world
        mix = surroundings.mix
        weather = surroundings.weather
        provider = surroundings.provider
        ledger = surroundings.ledger
        self.process = process
    }

    func send(
        _ request: ClientRequest, _ deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        guard !process.isCrashed, !world.isEnding else { throw .notReached(.connect) }
        let call = ProviderCall(process, request, name: Self.name(request), at: world.now)
        if request.url.authority != "am.example.com" {
            world.fail(.foreignLink, "\(call) goes to \(request.url.authority)")
        }
        ledger.flows.judgePause(call, at: world.now)
        let fate = fate()
        if fate != .fine { world.record.count(.fault, fate.rawValue) }
        do throws(TransportError) {
            let response = try await exchange(request, call, fate, deadline)
            ledger.delivered(call)
            if response.status == 429 { ledger.flows.wantsPause(call, at: world.now) }
            return response
        } catch {
            world.note("    \(call): \(error)")
            throw error
        }
    }

    private func exchange(
        _ request: ClientRequest, _ call: ProviderCall, _ fate: Fate, _ deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        try await pass(world.spans.span(upTo: mix.providerLatency), deadline, isSent: false)
        switch fate {
        case .notReached: throw .notReached(.connect)
        case .hangsBefore: try await pass(.seconds(86_400), deadline, isSent: true)
        case .tooMany, .unavailable, .failure:
            world.note("    \(call) FAULT: \(fate.rawValue)")
            try await pass(world.spans.span(upTo: mix.providerLatency), deadline, isSent: true)
            let status = fate == .tooMany ? 429 : fate == .failure ? 500 : 503
            var response = ClientResponse(status: status)
            if fate == .tooMany { response.fields.set(.retryAfter, "1") }
            return response
        default: break
        }
        ledger.received(request, call)
        let response = Self.received(await provider.answer(Self.sent(request)))
        ledger.answered(call, response)
        world.record.mark(call.name, world.now)
        world.note("    \(call): \(response.status)\(fate == .fine ? "" : " FAULT: \(fate.rawValue)")")
        if call.requestID.map(ledger.heldBack.contains) == true {
            try await pass(.milliseconds(400), deadline, isSent: true)
        }
        if fate == .hangsAfter { try await pass(.seconds(86_400), deadline, isSent: true) }
        try await pass(world.spans.span(upTo: mix.providerLatency), deadline, isSent: true)
        if fate == .lost { throw .noUsableAnswer(.closed) }
        return response
    }

    private func fate() -> Fate {
        if weather.isAway(.provider, process.machine) { return .notReached }
        let rows: [(Fate, Double)] = [
            (.notReached, mix.notReached), (.tooMany, mix.tooManyRequests), (.unavailable, mix.unavailable),
            (.failure, mix.providerFailure), (.lost, mix.providerLost), (.hangsBefore, mix.providerHangs / 2),
            (.hangsAfter, mix.providerHangs / 2),
        ]
        for (fate, probability) in rows where world.faults.happens("\(fate)", probability) { return fate }
        return .fine
    }

    /// Lets time pass, but not past the deadline; what a crash left behind goes no further.
    private func pass(
        _ span: Duration, _ deadline: ContinuousClock.Instant, isSent: Bool
    ) async throws(TransportError) {
        let left = deadline - .now
        let isWhole = await world.passUnlessCancelled(max(.zero, min(span, left)))
        guard !process.isCrashed, !world.isEnding else {
            throw isSent ? .noUsableAnswer(.closed) : .notReached(.connect)
        }
        guard isWhole else { throw .cancelled }
        guard span < left else { throw isSent ? .noUsableAnswer(.timeout) : .notReached(.timeout) }
    }

    // MARK: Requests and answers as values

    /// What a request is called: the end of its path, and what it wants there.
    private static func name(_ request: ClientRequest) -> String {
        let place = request.url.path.split(separator: "/").last.map(String.init) ?? ""
        if let action = request.url.query.flatMap({ QueryParameters(parsing: $0) })?.single("_action") {
            return "\(place) \(action)"
        }
        guard ["access_token", "token", "revoke"].contains(place) else { return place }
        let form = QueryParameters(parsing: String(decoding: request.body, as: UTF8.self))
        return [place, form?.single("grant_type") ?? form?.single("token_type_hint") ?? ""].joined(separator: " ")
    }

    private static func sent(_ request: ClientRequest) -> ServerRequest {
        let fields = request.fields.map { (name: $0.name.rawName, value: $0.value) }
        return ServerRequest(
            method: request.method, target: request.url.path + (request.url.query.map { "?" + $0 } ?? ""),
            headers: RequestHeaders(fields + [(name: "Host", value: request.url.authority)]),
            body: RequestBody(request.body))
    }

    private static func received(_ answer: ServerResponse) -> ClientResponse {
        var response = ClientResponse(status: answer.status)
        for header in answer.headers {
            guard let name = try? HTTPField.Name(checking: header.name),
                let field = try? HTTPField(name, checking: header.value)
            else { continue }
            response.fields.append(field)
        }
        if case .bytes(let bytes) = answer.body { response.body = bytes }
        return response
    }
}
