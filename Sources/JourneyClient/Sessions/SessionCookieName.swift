internal import Basics
internal import HTTPCore
internal import JSON
internal import Logs
internal import OpenIDConnect
internal import Orchestrate

/// The name of AM's session cookie, which is also the name of the header that carries the session.
///
/// The name comes from the settings, or else from AM (`serverinfo`). With a wrong name AM answers as if it did not know
/// the session, so AM is asked for the name again before its 401 counts: `otherName(than:_:deadline:)`.
final class SessionCookieName: Sendable {
    private struct State {
        /// The name that AM published last; nil until AM has published one.
        var found: String?
        var asked: Timestamp?
        /// The time of the last failure to ask AM.
        var failed: Timestamp?
    }

    /// The shortest time between two questions for the name, because 401 for an ended session is frequent.
    private static let interval = Duration.seconds(10)

    /// The name from the settings; nil to use the name that AM publishes.
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

    /// The name for requests.
    ///
    /// - Throws: `.configuration` before AM has published the name.
    var current: String {
        get throws(EngineError) {
            guard let name = configured ?? state.withLock({ $0.found }) else {
                throw .configuration("the name of the session cookie is not known")
            }
            return name
        }
    }

    /// Notes that AM knows a session by a name; if it is the configured name, it replaces the name that AM published.
    func works(_ name: String) {
        if configured?.isSameText(as: name) == true { state.withLock { $0.found = name } }
    }

    /// The message for the log if the configured name differs from AM's; nil if they agree or AM's name is unknown.
    var problem: String? {
        guard let configured, let found = state.withLock({ $0.found }), !found.isSameText(as: configured) else {
            return nil
        }
        return
            "AM's session cookie is named \(found), and cookieName says \(configured); correct cookieName, or leave it out"
    }

    /// Reads the name from AM unless the settings give it.
    ///
    /// - Throws: The error of asking AM.
    func learn(by services: WorkflowServices, deadline: ContinuousClock.Instant) async throws {
        if configured == nil { _ = try await ask(services, deadline) }
    }

    /// Asks AM again, for example after a reload; if AM cannot be asked, the known name stays.
    func learnAgain(by services: WorkflowServices, deadline: ContinuousClock.Instant) async {
        _ = try? await ask(services, deadline)
    }

    /// Finds out whether a request failed with AM's 401 because it used the wrong cookie name.
    ///
    /// - Parameters:
    ///   - used: The name that the request used.
    ///   - services: The services that ask AM.
    ///   - deadline: Gives up at this instant.
    /// - Returns: AM's own name, if it differs from `used`; the request has to be repeated with it. Nil when the 401
    ///   counts, also when AM does not publish its name.
    /// - Throws: The error when AM cannot be asked; then the state of the session is unknown.
    func otherName(
        than used: String, _ services: WorkflowServices, deadline: ContinuousClock.Instant
    ) async throws -> String? {
        let now = time.now()
        let known = state.withLock { $0 }
        var name = known.found
        if !Self.isRecent(known.asked, now) {
            if Self.isRecent(known.failed, now) { throw EngineError.busy(status: 503, retryAfter: Self.interval) }
            do {
                name = try await ask(services, deadline)
            } catch EngineError.configuration, EngineError.unexpectedStatus(400..<500, _) {
                // Access to serverinfo may be blocked; then the 401 counts.
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
                defer { (state.found, state.asked) = (name, time.now()) }
                return state.found ?? configured
            }
            if let before, !before.isSameText(as: name) {
                services.logger.warning(
                    configured == nil
                        ? "AM's session cookie has another name now, which is used from now on"
                        : "AM's session cookie has another name than cookieName: no user can sign in",
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
            // The path contains the realm, so an unknown realm fails here first; AM may also be missing.
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
