internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import JOSE

/// All parts of a simulator except for its listener.
///
/// Refuses by RFC 9110 section 15.5.
/// Refuses by docs/simulator.md, 'Faults'.
final class SimulatorCore: Sendable {
    private static let maxBody = 256 * 1024

    let settings: SimulatorSettings
    let journal = Journal()
    let directory: UserDirectory
    let sessions: SessionRegistry
    let grants: GrantRegistry
    let keys: KeyRing
    let pingOne: PingOneEnvironment
    private let faults: Faults
    let time: ShiftedTime
    private let origin = Locked("")
    private let realm: any RealmEndpoints
    private let control: FaultsEndpoint
    private let social = SocialProvider()
    private let outbox = Outbox()
    let gateway: PolicyGateway
    let logoutTokens: LogoutTokenMinter

    init(_ settings: SimulatorSettings, faults: Faults, time: ShiftedTime) throws(SimulatorError) {
        try settings.check()
        self.settings = settings
        self.faults = faults
        self.time = time
        directory = UserDirectory(settings)
        sessions = SessionRegistry(settings, journal: journal)
        grants = GrantRegistry(settings, journal: journal)
        keys = try KeyRing(of: .realm)
        let services = OAuthServices(
            settings: settings, directory: directory, sessions: sessions, grants: grants, keys: keys)
        gateway = PolicyGateway(services)
        logoutTokens = LogoutTokenMinter(settings: settings, keys: keys)
        pingOne = PingOneEnvironment(
            services, keys: try KeyRing(of: .environment), journal: journal, social: social, outbox: outbox)
        realm =
            switch settings.dialect {
            case .ping: PingRealm(services, journal: journal, social: social, outbox: outbox, gateway: gateway)
            case .openam: OpenAMRealm(services, journal: journal)
            }
        control = FaultsEndpoint(faults: faults, journal: journal)
    }

    var baseURL: String { origin.withLock { $0 } }
    var issuer: String { realm.issuer(baseURL) }

    func listens(on port: UInt16) {
        let host =
            settings.listener.address.contains(":") ? "[\(settings.listener.address)]" : settings.listener.address
        origin.withLock { $0 = settings.publicURL ?? "http://\(host):\(port)" }
    }

    func answer(_ request: ServerRequest) async -> ServerResponse {
        let control = request.path.hasPrefix("/simulator/")
        if !control { journal.count(request.path) }
        let body: [UInt8]
        do throws(BodyError) {
            body = try await request.body.collect(upTo: Self.maxBody)
        } catch { return .amError(413, "The request body is too large") }
        if control {
            guard let call = call(request, body) else { return .amError(400, "Bad Request") }
            switch call.segments {
            case ["simulator", "outbox"]: return outbox.answer(call)
            case ["simulator", "logout-token"]:
                return logoutTokens.answer(call, issuer: realm.issuer(base(of: request)))
            default: return self.control.answer(call)
            }
        }
        if settings.keepsRequests {
            journal.keep(
                ReceivedRequest(method: request.method, target: request.target, headers: request.headers, body: body))
        }
        let (delay, effect) = faults.take(for: request.path)
        if delay > .zero { try? await time.sleep(for: delay) }
        switch effect {
        case .tooManyRequests(let retryAfter):
            return .tooManyRequests(retryAfter)
        case .unavailable(let retryAfter):
            return .html(503, "Service Unavailable", retryAfter.map { [ResponseHeader("Retry-After", "\($0)")] } ?? [])
        case .serverError(let status): return .html(status, "Server Error")
        case .drop: return .cut
        case .loseAnswer:
            _ = route(request, body)
            return .cut
        case .garbage:
            _ = route(request, body)
            return .html(200, "Not what you expected")
        case .latency, nil: return route(request, body)
        }
    }

    private func call(_ request: ServerRequest, _ body: [UInt8]) -> SimulatedCall? {
        SimulatedCall(request, body: body, base: base(of: request), now: time.now())
    }

    /// The origin of published URLs: the one in the settings, else the host that the request names, as in AM.
    private func base(of request: ServerRequest) -> String {
        guard settings.publicURL == nil, isListening, let host = request.headers.single("host"),
            let origin = WebURL("http://" + host)?.origin, origin == "http://" + host.lowercased()
        else { return baseURL }
        return origin
    }

    /// True if a listener has bound a port; otherwise the only host is the one in the settings.
    private var isListening: Bool { !baseURL.isEmpty }

    private func route(_ request: ServerRequest, _ body: [UInt8]) -> ServerResponse {
        guard let call = call(request, body) else { return .amError(400, "Bad Request") }
        if call.segments.first == "social" { return social.answer(call) }
        if call.segments.first == "gateway" { return gateway.answer(call) }
        if call.segments.first == settings.pingOne.environment { return pingOne.answer(call) }
        guard call.segments.first == "am" else { return .amError(404, "Not Found") }
        let path = SimulatedRealm(call.segments.dropFirst(2), parameter: call.query.single("realm"))
        switch call.segments.dropFirst().first {
        case "json": return realm.json(call, path)
        case "oauth2": return realm.oauth(call, path)
        case "UI", "XUI": return .html(200, "Sign in")
        default: return .amError(404, "Not Found")
        }
    }

}

extension ServerResponse {
    fileprivate static func tooManyRequests(_ retryAfter: Int?) -> ServerResponse {
        var response = ServerResponse.amError(429, "Too Many Requests")
        if let retryAfter { response.headers.append(ResponseHeader("Retry-After", "\(retryAfter)")) }
        return response
    }
}

extension SimulatorSettings {
    /// Checks the settings before a simulator is built.
    func check() throws(SimulatorError) {
        guard realm == "/" || !realm.isEmpty && !realm.contains("/") && realm != "root" else {
            throw .setting("realm")
        }
        // The cookie name is also the name of a header.
        guard !cookieName.isEmpty, cookieName.utf8.allSatisfy(\.isWordByte) else { throw .setting("cookieName") }
        // The directory of OpenAM ignores the case of a name.
        let names = users.map { dialect == .openam ? $0.name.lowercased() : $0.name }
        guard Set(names).count == users.count else { throw .setting("users") }
        guard Set(clients.map(\.id)).count == clients.count else { throw .setting("clients") }
        for client in clients {
            guard (client.secret == nil) == (client.authentication == .none),
                [.RS256, .ES256].contains(client.algorithm)
            else { throw .setting("clients") }
        }
        guard Set(pingOne.applications.map(\.client.id)).count == pingOne.applications.count,
            pingOne.applications.allSatisfy({ Set($0.policies).isSubset(of: PolicyTable.names) }),
            !["am", "social", "gateway", "simulator", ""].contains(pingOne.environment)
        else { throw .setting("pingOne") }
        guard lockoutThreshold > 0 else { throw .setting("lockoutThreshold") }
        guard pollsNeeded > 0 else { throw .setting("pollsNeeded") }
    }
}
