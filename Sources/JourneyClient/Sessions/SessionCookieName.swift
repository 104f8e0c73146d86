internal import Basics
internal import HTTPCore
internal import JSON
internal import Logs
internal import OpenIDConnect
internal import Orchestrate

/// The name of AM's session cookie, which is also that of the header that carries the session.
///
/// The settings say it, else AM does (`serverinfo`). A wrong one looks like a session that AM does not know, so AM is asked
/// for the name again before its 401 counts: `isDenial`.
final class SessionCookieName: Sendable {
    private struct State {
        /// What AM said last; nil before, and where it does not say.
        var told: String?
        var asked: Timestamp?
        /// When it could not be asked.
        var failed: Timestamp?
    }

    /// AM is asked for the name at most once in this time: sessions that have ended are an everyday answer.
    private static let interval = Duration.seconds(10)

    /// The name that the settings say; nil to go by AM.
    let configured: String?
    let address: WebURL
    private let time: any TimeSource
    private let state = Locked(State())
    private let flights: SingleFlight<WebURL, String?>

    init(configured: String?, serverInfo: WebURL, time: any TimeSource) {
        self.configured = configured
        address = serverInfo
        self.time = time
        flights = SingleFlight(time)
    }

    /// The name that requests use.
    ///
    /// - Throws: `.configuration` before AM has said it.
    var current: String {
        get throws(EngineError) {
            guard let name = configured ?? state.withLock({ $0.told }) else {
                throw .configuration("the name of the session cookie is not known")
            }
            return name
        }
    }

    /// Notes that AM knows a session by a name: a configured one is right then, whatever AM said before.
    func works(_ name: String) {
        if configured?.isSameText(as: name) == true { state.withLock { $0.told = name } }
    }

    /// What is wrong with the configured name, for the log; nil where AM said the same, or nothing.
    var fault: String? {
        guard let configured, let told = state.withLock({ $0.told }), !told.isSameText(as: configured) else {
            return nil
        }
        return
            "AM's session cookie is named \(told), and cookieName says \(configured); correct cookieName, or leave it out"
    }

    /// Finds out the name unless the settings say it.
    ///
    /// - Throws: Why AM does not say it.
    func learn(by services: WorkflowServices, deadline: ContinuousClock.Instant) async throws {
        if configured == nil { _ = try await ask(services, deadline) }
    }

    /// Asks AM again, as after a reload: what it does not say changes nothing.
    func learnAgain(by services: WorkflowServices, deadline: ContinuousClock.Instant) async {
        _ = try? await ask(services, deadline)
    }

    /// Reads AM's 401 about a session: true where AM does not know the session; false where the request named the wrong
    /// cookie, and the same request has to be sent again with `named`.
    ///
    /// - Parameters:
    ///   - used: The name that the request had.
    ///   - services: Ask AM.
    ///   - deadline: Gives up at this instant.
    /// - Returns: The name that AM has in place of `used`; nil when the 401 counts, also where AM keeps the name to itself.
    /// - Throws: AM could not be asked; then nothing is known of the session.
    func otherName(
        than used: String, _ services: WorkflowServices, deadline: ContinuousClock.Instant
    ) async throws -> String? {
        let now = time.now()
        let known = state.withLock { $0 }
        var name = known.told
        if !Self.isRecent(known.asked, now) {
            if Self.isRecent(known.failed, now) { throw EngineError.busy(status: 503, retryAfter: Self.interval) }
            do {
                name = try await ask(services, deadline)
            } catch EngineError.configuration, EngineError.unexpectedStatus(400..<500, _) {
                // AM's address for it may be closed: then its 401 is all that is known.
                state.withLock { $0.asked = now }
                name = nil
            } catch {
                state.withLock { $0.failed = now }
                throw error
            }
        }
        guard let name, !name.isSameText(as: used) else { return nil }
        return name
    }

    private static func isRecent(_ moment: Timestamp?, _ now: Timestamp) -> Bool {
        moment.map { $0 <= now && now < $0 + interval } ?? false
    }

    private func ask(_ services: WorkflowServices, _ deadline: ContinuousClock.Instant) async throws -> String? {
        try await flights.run(address, until: deadline) { [self] in
            let limit = ContinuousClock.now + services.timeout
            let name = try await read(services, limit)
            let before = state.withLock { state in
                defer { (state.told, state.asked) = (name, time.now()) }
                return state.told ?? configured
            }
            if let before, !before.isSameText(as: name) {
                services.logger.warning(
                    configured == nil
                        ? "AM's session cookie has another name now, which is used from now on"
                        : "AM's session cookie has another name than cookieName: nobody can sign in",
                    metadata: [
                        "setting": "cookieName", "expected": .string(configured ?? before), "found": .string(name),
                    ])
            }
            return name
        }
    }

    private func read(_ services: WorkflowServices, _ deadline: ContinuousClock.Instant) async throws -> String {
        var request = Request(address)
        request.setHeader(name: "Accept", value: "application/json")
        request.setHeader(name: "Accept-API-Version", value: JourneyModuleSettings.serverInfoVersion)
        let response = try await services.send(request, deadline: deadline)
        switch response.status {
        case 200: break
        case 429, 503:
            let now = time.now()
            throw EngineError.busy(
                status: response.status,
                retryAfter: response.header("Retry-After").flatMap { RetryAfter.parse($0, now: now) })
        case 404:
            // The path has the realm, or AM is not there; either way it is the first thing that an unknown realm meets.
            throw EngineError.configuration("AM has nothing at \(address.path): is there such a realm?")
        default: throw EngineError.unexpectedStatus(response.status, excerpt: response.excerpt)
        }
        // rule: the name that AM gives its cookie is a token
        guard let name = try response.json()["cookieName"]?.string, JourneyModuleSettings.isCookieName(name) else {
            throw EngineError.configuration("serverinfo names no usable session cookie")
        }
        return name
    }
}
