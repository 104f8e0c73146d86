internal import BFF
internal import Basics
internal import HTTPCore
internal import JourneyClient
internal import OpenIDConnect
internal import Orchestrate

extension SettingsReader {
    /// The names in the section `storages`.
    func readStorages(_ top: Section) -> [String] {
        top.named("storages").map { name, section in
            section.later(
                "cacheStrategy", "is no setting: nothing is cached, so that an outage is never taken for an answer")
            section.finish()
            return name
        }
    }

    func readClients(_ top: Section, storages: [String], publicURL: WebURL?, requestTime: Duration) -> [ClientSettings]
    {
        let sections = top.named("clients")
        // Without clients no user can sign in here, and the server is a resource server alone.
        if sections.isEmpty, !context.isReported("clients"), !top.contains("issuers") {
            context.report("clients", "expected at least one client, or issuers alone")
        }
        var clients: [ClientSettings] = []
        for (name, section) in sections {
            guard let client = readClient(name, section, publicURL: publicURL) else { continue }
            if client.timeout > requestTime, section.contains("timeout"), client.product.isJourney {
                let most = ValueForm<Duration>.text(requestTime)
                context.report(section.key("timeout"), "expected no more than server.limits.requestTime, \(most)")
            }
            clients.append(client)
        }
        let used = Set(clients.flatMap { [$0.sessionStorage, $0.tokenStorage].compactMap { $0 } })
        // A client that could not be read may be the one that uses the storage.
        for storage in storages where clients.count == sections.count && !used.contains(storage) {
            context.report("storages.\(storage)", "no client uses this storage")
        }
        SharedStorages(clients, context).check()
        return clients
    }

    private func readClient(_ name: String, _ section: Section, publicURL: WebURL?) -> ClientSettings? {
        guard section.exists else { return nil }
        let type = section.required(
            "type",
            ValueForm(
                expected: "journey or davinci", parse: { ["journey", "davinci", "oidc"].contains($0) ? $0 : nil }))
        guard let type, type != "oidc" else {
            if type != nil {
                context.report(section.key("type"), "is not supported; this version has journey and davinci")
            }
            return nil
        }
        let insecure = section.value("insecureHttp", .flag) ?? false
        let product =
            type == "journey"
            ? readJourney(section, publicURL: publicURL, insecure: insecure) : readDaVinci(section, insecure: insecure)
        let timeout = section.value("timeout", .duration(.seconds(1) ... .seconds(300)))
        let threshold = section.value("refreshThreshold", .duration(.zero ... .seconds(600)))
        let sessionStorage = section.value("sessionStorage", .name)
        let tokenStorage = section.value("tokenStorage", .name)
        let limits = readClientLimits(section.section("limits"))
        let insecureLimits = section.value("insecureLimits", .flag) ?? false
        let minimum = section.value("minimum", .name)
        let linkHosts = readLinkHosts(section)
        let webAuthn = readWebAuthn(section.section("webAuthn"))
        section.finish()
        guard let product else { return nil }
        var client = ClientSettings(
            name: name, product: product.settings, openID: product.openID, sessionStorage: sessionStorage,
            tokenStorage: tokenStorage, limits: limits, minimum: minimum, allowed: product.allowed,
            insecureHTTP: insecure)
        client.insecureLimits = insecureLimits
        client.linkHosts = linkHosts
        client.webAuthn = webAuthn
        if let timeout { client.timeout = timeout } else if type == "davinci" { client.stepTimeout = Self.longestNode }
        if let threshold { client.refreshThreshold = threshold }
        client.keepsSession = product.keepsSession
        return client
    }

    private func readJourney(_ section: Section, publicURL: WebURL?, insecure: Bool) -> ReadProduct? {
        let serverURL = readServerURL(section, insecure: insecure)
        let realm = section.required("realm", .realm)
        let cookieName = section.value("cookieName", .cookieName)
        let balancers = section.list("balancerCookies", .cookieName) ?? []
        let upgrade = section.value(
            "sessionUpgrade", .choice(["header": SessionUpgrade.header, "parameter": .parameter]))
        let forward = readForwarding(section.section("forward"))
        let requestedWith = section.value("requestedWith", ValueForm<RequestedWith>.anyCase)
        let platform = readPlatform(section)
        let exposed = section.list("expose", .exposedMember)
        let discovery = readDiscovery(section, serverURL, realm, cookieName, publicURL, insecure: insecure)
        let openID = readOpenID(section.section("oidc"), discovery: discovery, insecure: insecure, isAM: true)
        let journeys = readJourneys(section)
        let transactions = section.value("transactions", .flag) ?? false
        let allowed = readAllowance(section) { text in
            StartOptions.isReserved(text) || text.lowercased() == cookieName?.lowercased()
        }
        let keepsSession = section.value("keepProviderSession", .flag)
        let languages = readLanguages(section.section("languages"))
        let headers = readHeaders(section, cookieName)
        section.later(
            "prompts",
            "is for OpenID providers; a journey asks what its pages ask, and forceAuth of a start runs it anew")
        for name in Self.ofFlows { section.later(name, "is for DaVinci flows; this is a journey") }
        guard let serverURL, let realm, let openID else { return nil }
        var journey = JourneySettings(
            serverURL: serverURL, realm: realm, cookieName: cookieName, balancerCookies: balancers,
            sessionUpgrade: upgrade ?? .header, forward: forward, requestedWith: requestedWith ?? .pingSDK,
            journeys: journeys)
        journey.transactions = transactions
        journey.platform = platform
        journey.exposed = exposed ?? []
        journey.languages = languages
        journey.headers = headers
        return ReadProduct(
            settings: .journey(journey), openID: openID, allowed: allowed, keepsSession: keepsSession ?? false)
    }

    private func readServerURL(_ section: Section, insecure: Bool) -> WebURL? {
        let form = ValueForm(expected: "an address like https://tenant.example.com/am") { text in
            WebURL(text).flatMap { $0.query == nil ? $0 : nil }
        }
        guard let url = section.required("serverUrl", form) else { return nil }
        guard url.scheme == .https || url.isLoopback || insecure else {
            context.report(section.key("serverUrl"), "expected https, or insecureHttp: true for an unprotected network")
            return nil
        }
        return url
    }

    /// The address of the realm's discovery document; a client is built once, so that its faults are reported.
    private func readDiscovery(
        _ section: Section, _ serverURL: WebURL?, _ realm: String?, _ cookieName: String?, _ publicURL: WebURL?,
        insecure: Bool
    ) -> WebURL? {
        guard let serverURL, let realm else { return nil }
        do {
            _ = try Journey.createJourney { config in
                config.serverUrl = serverURL.text
                config.realm = realm
                config.cookie = cookieName
                config.publicUrl = publicURL?.text
                config.insecureHTTP = insecure
                config.transport = NoTransport()
            }
        } catch {
            switch error {
            case .realm: context.report(section.key("realm"), "expected the name of a realm")
            case .cookieName: context.report(section.key("cookieName"), "expected a name that no header field has")
            default: context.report(section.path, line: section.line, "no client can be made of this")
            }
            return nil
        }
        return Journey.discoveryAddress(serverURL: serverURL, realm: realm)
    }

    private func readJourneys(_ section: Section) -> [String] {
        let name = ValueForm.text("the name of a journey", bytes: 1...256)
        let journeys = section.list("journeys", name) ?? []
        if journeys.isEmpty, !context.isReported(section.key("journeys")) {
            let key = section.key("journeys")
            if section.contains("journeys") {
                context.report(key, "expected the name of a journey")
            } else {
                context.report(key, line: section.line, "is missing; expected the names of journeys, the default first")
            }
        }
        return journeys
    }

    /// The parameters and acr values that a start may ask for; `isTaken` names the parameters that the client sets
    /// itself.
    func readAllowance(_ section: Section, except isTaken: @escaping @Sendable (String) -> Bool) -> StartAllowance {
        let parameter = ValueForm<String>(expected: "a name that the client does not set itself") { text in
            isTaken(text) || ValueForm.word("").parse(text) == nil ? nil : text
        }
        return StartAllowance(
            parameters: Set(section.list("parameters", parameter) ?? []),
            acrValues: Set(section.list("acrValues", .word("an acr value without spaces")) ?? []))
    }

    func readPlatform(_ section: Section) -> String? {
        section.value("platform", .word("a platform without spaces"))
    }

    func readLanguages(_ section: Section) -> LanguagePreference {
        var languages = LanguagePreference()
        section.read("mode", .anyCase, into: &languages.mode)
        let tag = ValueForm<String>(expected: "a language tag, like fr-CH") { AcceptLanguage.isTag($0) ? $0 : nil }
        if let values = section.someOf("values", tag) { languages.values = values }
        if section.exists, !section.contains("values") {
            context.report(section.key("values"), line: section.line, "is missing; expected language tags")
        }
        section.finish()
        return languages
    }

    /// Header fields that are sent with the calls of journeys; fields that the client writes itself are reported.
    private func readHeaders(_ section: Section, _ cookieName: String?) -> [HTTPField] {
        section.pairs("headers", .text("a value of one line", bytes: 1...4096)).compactMap { name, value in
            let key = section.key("headers.\(name)")
            guard let own = try? HTTPField.Name(checking: name), name.utf8.count <= 64 else {
                context.report(key, "expected the name of a header field, like X-Tenant")
                return nil
            }
            let sessions = [cookieName?.lowercased(), "iplanetdirectorypro"]
            guard !Journey.isOwnField(name), !sessions.contains(name.lowercased()) else {
                let setting = Self.settings[name.lowercased()].map { "; see \($0)" } ?? ""
                context.report(key, "expected a field that the client does not write itself" + setting)
                return nil
            }
            guard let field = try? HTTPField(own, checking: value) else {
                context.report(key, "expected a value without control characters")
                return nil
            }
            return field
        }
    }

    /// The settings that set a field in place of `headers`.
    private static let settings = [
        "accept-language": "languages", "x-forwarded-for": "forward.clientAddress", "user-agent": "forward.userAgent",
        "x-requested-with": "requestedWith",
    ]

    private func readForwarding(_ section: Section) -> BrowserForwarding {
        var forward = BrowserForwarding()
        section.read("clientAddress", .anyCase, into: &forward.clientAddress)
        section.read("userAgent", .anyCase, into: &forward.userAgent)
        section.finish()
        return forward
    }

    private func readClientLimits(_ section: Section) -> ClientLimits {
        let limits = ClientLimits(
            idle: section.value("idle", .duration(.seconds(10) ... .seconds(86_400))),
            absolute: section.value("absolute", .duration(.seconds(10) ... .seconds(30 * 86_400))))
        section.finish()
        if let idle = limits.idle, let absolute = limits.absolute, idle > absolute {
            let most = ValueForm<Duration>.text(absolute)
            context.report(section.key("idle"), "expected no more than limits.absolute, \(most)")
        }
        return limits
    }
}

extension ValueForm where Value == String {
    /// A realm, or a path of realms; blanks at the ends of a name are refused as a mistake, because AM would answer
    /// that there is no such realm.
    fileprivate static var realm: Self {
        ValueForm(expected: "the name of a realm") { text in
            let hasBlanks = text.split(separator: "/").contains {
                $0.first?.isWhitespace == true || $0.last?.isWhitespace == true
            }
            // rule: a realm has no blanks at its ends
            guard !hasBlanks else { return nil }
            return Self.text("", bytes: 1...256).parse(text)
        }
    }

    /// A member of a failure's `detail`; `failureUrl` is refused, because browsers must not get the address of AM's own
    /// page.
    fileprivate static var exposedMember: Self {
        ValueForm(expected: "the name of a member of detail other than failureUrl") { text in
            text == "failureUrl" ? nil : Self.text("", bytes: 1...128).parse(text)
        }
    }
}

/// A transport without a network: clients are built with it while settings are read.
private struct NoTransport: HTTPTransport {
    func send(
        _ request: ClientRequest, deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> ClientResponse {
        throw .notReached(.refusedLocally)
    }
}
