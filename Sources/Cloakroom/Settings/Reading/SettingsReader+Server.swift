internal import BFF
internal import BFFAPI
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import SettingsKit

/// The content of the section `server`.
struct ServerPart {
    var listener: ListenerSettings
    var admin: ListenerSettings?
    /// The token of operators; nil for no operations on sessions.
    var adminToken: Secret<String>?
    /// The settings of the API; nil without a usable public address.
    var api: APISettings?
    /// The folder of `server.files`.
    var app: AppFolder?
    var drain: Duration
    var authzRate = AuthzSettings().rate
    var targets = ReturnSettings().targets
    var heldPolls = BFFSettings().heldPolls
}

extension SettingsReader {
    func readServer(_ section: Section) -> ServerPart {
        var part = ServerPart(
            listener: ListenerSettings(address: "127.0.0.1", port: 8080), admin: nil, api: nil, drain: .seconds(20))
        context.takesExposedSecrets = section.value("insecureSecretFiles", .flag) ?? false
        if let place = section.value("listen", .listenAddress) {
            part.listener = ListenerSettings(address: place.address, port: place.port)
        }
        section.read("threads", .number(ListenerSettings.threadRange), into: &part.listener.threads)
        section.read("drain", .duration(.zero ... .seconds(300)), into: &part.drain)
        part.admin = readAdmin(section)
        checkAdminIsApart(section, part)
        part.adminToken = readAdminToken(section, part)
        part.api = readAPI(section, &part)
        checkListenerIsBehindProxy(section, part)
        // Gateways send the tokens that they ask about in a header field, as callers of the public listener do.
        part.admin?.limits = part.listener.limits
        // Few peers connect to it, and a gateway among them asks for all of its users.
        part.admin?.limits.connectionsPerPeer = 0
        if !section.names(in: "limits").contains("headerBytes") {
            // Room for the longest token that is accepted, which comes in a header field.
            part.admin?.limits.headerBytes = 48 << 10
        }
        part.targets = readReturnTargets(section)
        section.finish()
        if let api = part.api {
            part.listener.limits.body = max(part.listener.limits.body, api.answerLimit, api.bodyLimit)
        }
        return part
    }

    /// Refuses a listener that other machines reach without a trusted proxy; a container has to listen to other
    /// machines, and then a proxy with TLS must be a trusted peer.
    private func checkListenerIsBehindProxy(_ section: Section, _ part: ServerPart) {
        let isAllowed = section.value("insecureListen", .flag) ?? false
        let address = part.listener.address
        let isLoopback = HostAddress(address.contains(":") ? "[\(address)]" : address)?.isLoopback ?? false
        guard !isLoopback, let peers = part.api?.trustedPeers, peers.allSatisfy(\.isLoopback),
            !context.isReported(section.key("trustedPeers"))
        else { return }
        context.refuse(
            section.key("listen"), line: section.line(of: "listen"),
            "other machines reach this in plain HTTP; put a proxy with TLS in front and list it in trustedPeers",
            unless: isAllowed, section.key("insecureListen"))
    }

    /// Reads the admin listener, which must be on this machine: it shows no user, but a caller learns when the server
    /// is in trouble.
    private func readAdmin(_ section: Section) -> ListenerSettings? {
        let allowed = section.value("insecureAdmin", .flag) ?? false
        guard let place = section.value("admin", .listenAddress) else { return nil }
        if !place.isLoopback, !allowed {
            context.report(
                section.key("admin"), "expected an address of this machine, or insecureAdmin: true for another one")
        }
        return ListenerSettings(address: place.address, port: place.port)
    }

    /// Requires that the admin listener has a port of its own, so that the public address does not reach it; port 0
    /// differs each time.
    private func checkAdminIsApart(_ section: Section, _ part: ServerPart) {
        guard let admin = part.admin, admin.port != 0, admin.port == part.listener.port else { return }
        let addresses = [admin.address, part.listener.address]
        guard addresses[0] == addresses[1] || addresses.contains("0.0.0.0") || addresses.contains("::") else { return }
        context.report(section.key("admin"), "expected another port than that of server.listen")
    }

    /// Reads the token of operators, which has to be too long to be guessed, and needs a listener.
    private func readAdminToken(_ section: Section, _ part: ServerPart) -> Secret<String>? {
        guard let token = section.secret("adminToken") else { return nil }
        // rule: the token of operators cannot be guessed
        guard token.reveal().utf8.count >= Self.leastAdminToken else {
            context.report(section.key("adminToken"), "expected at least \(Self.leastAdminToken) characters")
            return nil
        }
        guard part.admin != nil || context.isReported(section.key("admin")) else {
            context.report(section.key("adminToken"), "no listener takes it; set server.admin")
            return nil
        }
        return token
    }

    private static let leastAdminToken = 32

    private func readAPI(_ section: Section, _ part: inout ServerPart) -> APISettings? {
        let example = WebURL("https://cloakroom.invalid")
        let publicURL = section.required("publicUrl", .address("an address like https://app.example.com"))
        // A stand-in for a missing address, so that all other keys are checked as well.
        guard let address = publicURL ?? example else { return nil }
        var api = APISettings(publicURL: address)
        section.read("insecureHttp", .flag, into: &api.insecureHTTP)
        let hsts = section.section("hsts")
        hsts.read("includeSubDomains", .flag, into: &api.hstsIncludesSubdomains)
        hsts.finish()
        section.read("basePath", .text("a path like /bff"), into: &api.basePath)
        section.read("csrfHeader", .text("a header name like X-CSRF"), into: &api.csrfHeader)
        section.read("csrfValue", .text("1 to 64 visible ASCII characters"), into: &api.csrfValue)
        api.corsOrigins = section.list("corsOrigins", .text("an origin like https://app.example.com")) ?? []
        api.hosts = section.list("hosts", .text("a host like app.example.com")) ?? []
        api.trustedPeers = readTrustedPeers(section)
        part.app = readFiles(section)
        api.files = part.app?.files
        readPageSources(section, &api.pageSources)
        readPasskeys(section, &api.passkeys)
        let ping = section.section("pingCompatibility")
        api.pingClients = ping.list("clients", .text("the name of a client")) ?? []
        ping.finish()
        if let publicURL { checkProxiesAreSaid(section, publicURL) }
        let limits = section.section("limits")
        limits.read("polls", .number(BFFSettings.heldPollRange), into: &part.heldPolls)
        readLimits(limits, &api, &part.listener.limits)
        readRates(section.section("rates"), &api, &part.authzRate)
        checkRates(section, api)
        for problem in api.problems() where !context.isReported(problem.setting) {
            context.report(problem.setting, problem.expected)
        }
        return publicURL == nil ? nil : api
    }

    /// Reads the trusted peers, which decide what address a caller has: if every peer were trusted, no rate and no
    /// limit would hold.
    private func readTrustedPeers(_ section: Section) -> [AddressRange] {
        let isAllowed = section.value("insecureTrustedPeers", .flag) ?? false
        let peers = section.list("trustedPeers", .peers) ?? []
        if peers.contains(where: \.isTooWide) {
            context.refuse(
                section.key("trustedPeers"), "expected the addresses of proxies, not a large part of the Internet",
                unless: isAllowed, section.key("insecureTrustedPeers"))
        }
        return peers
    }

    /// Requires at least one rate: without any, callers can guess passwords, and have the provider lock out users of
    /// their choice.
    private func checkRates(_ section: Section, _ api: APISettings) {
        let isAllowed = section.value("insecureRates", .flag) ?? false
        guard api.peerRate == nil, api.sessionRate == nil, api.flowRate == nil else { return }
        context.refuse(
            section.key("rates"), "expected at least one rate that is not off", unless: isAllowed,
            section.key("insecureRates"))
    }

    /// Requires `trustedPeers` with an https address: a proxy ends the TLS, and unless it is listed, all users count as
    /// one caller.
    private func checkProxiesAreSaid(_ section: Section, _ address: WebURL) {
        guard address.scheme == .https, !section.contains("trustedPeers") else { return }
        context.report(
            section.key("trustedPeers"),
            "is missing; expected the addresses of the proxies in front, or [] where callers come without one")
    }

    private func readLimits(_ section: Section, _ api: inout APISettings, _ limits: inout ListenerSettings.Limits) {
        section.read("answers", .size(APISettings.answerRange), into: &api.answerLimit)
        section.read("body", .size(APISettings.bodyRange), into: &api.bodyLimit)
        section.read("target", .size(256...64 << 10), into: &limits.target)
        section.read("headerCount", .number(10...1_000), into: &limits.headerCount)
        section.read("headerBytes", .size(ListenerSettings.Limits.headerByteRange), into: &limits.headerBytes)
        section.read("headerTime", .duration(.seconds(1) ... .seconds(120)), into: &limits.headerTime)
        section.read("bodyTime", .duration(.seconds(1) ... .seconds(600)), into: &limits.bodyTime)
        section.read("requestTime", .duration(.seconds(1) ... .seconds(600)), into: &limits.requestTime)
        section.read("responseTime", .duration(.seconds(1) ... .seconds(600)), into: &limits.responseTime)
        section.read("responseRate", .size(ListenerSettings.Limits.responseRateRange), into: &limits.responseRate)
        section.read("idle", .duration(.seconds(1) ... .seconds(3600)), into: &limits.idle)
        section.read("connections", .number(ListenerSettings.Limits.connectionRange), into: &limits.connections)
        section.read("connectionsPerPeer", .number(0...1_000_000), into: &limits.connectionsPerPeer)
        section.read("callsPerPeer", .number(CallerLimits.callRange), into: &api.callerLimits.callsPerPeer)
        section.read("callsPerSession", .number(CallerLimits.callRange), into: &api.callerLimits.callsPerSession)
        section.read("events", .number(CallerLimits.eventRange), into: &api.callerLimits.events)
        section.read("eventsPerPeer", .number(CallerLimits.eventPeerRange), into: &api.callerLimits.eventsPerPeer)
        section.read("held", .size(CallerLimits.heldRange), into: &api.callerLimits.held)
        section.read("heldPerPeer", .size(CallerLimits.heldRange), into: &api.callerLimits.heldPerPeer)
        section.read("heldPerSession", .size(CallerLimits.heldRange), into: &api.callerLimits.heldPerSession)
        section.finish()
    }

    private func readRates(_ section: Section, _ api: inout APISettings, _ authz: inout RateLimit?) {
        readRate(section, "peer", &api.peerRate)
        readRate(section, "session", &api.sessionRate)
        readRate(section, "flow", &api.flowRate)
        readRate(section, "anonymous", &api.newSessionRate)
        readRate(section, "authz", &authz)
        let calls = section.section("api")
        readRate(calls, "peer", &api.callPeerRate)
        readRate(calls, "session", &api.callSessionRate)
        calls.finish()
        readRate(section, "account", &api.accountRate)
        section.finish()
    }

    /// Reads a rate: the word `off`, or its numbers; missing numbers keep their default.
    private func readRate(_ section: Section, _ name: String, _ rate: inout RateLimit?) {
        let part = section.section(name, orWord: "off")
        let burst = part.value("burst", .number(RateLimit.range))
        let perMinute = part.value("perMinute", .number(RateLimit.range))
        part.finish()
        if let burst { rate?.burst = burst }
        if let perMinute { rate?.perMinute = perMinute }
        if section.rawText(name) == "off" { rate = nil }
    }
}

/// The address and port of a listener.
struct ListenAddress {
    let address: String
    let port: UInt16
    let isLoopback: Bool
}

extension ValueForm where Value == ListenAddress {
    /// An address and a port; host names are refused, because they may have several addresses.
    static var listenAddress: Self {
        ValueForm(expected: "an address and port like 127.0.0.1:8080 or [::1]:8080") { text in
            guard let colon = text.lastIndex(of: ":") else { return nil }
            let host = text[..<colon]
            let digits = text[text.index(after: colon)...]
            guard let address = HostAddress(host), digits.utf8.allSatisfy(\.isDigit),
                let port = UInt16(digits)
            else { return nil }
            let bare = host.hasPrefix("[") ? host.dropFirst().dropLast() : host
            return ListenAddress(address: String(bare), port: port, isLoopback: address.isLoopback)
        }
    }
}
