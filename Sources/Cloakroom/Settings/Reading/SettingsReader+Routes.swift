internal import BFF
internal import BFFAPI
internal import Basics
internal import HTTPCore
internal import HTTPServer
internal import ResourceServer
internal import SettingsKit

/// The content of the section `authz`.
struct AuthzPart {
    var peers: [AddressRange] = []
    var cachedTokens = 10_000
    /// True for `qualified`; nil where the file does not set it.
    var qualifiesSubjects: Bool?
}

extension SettingsReader {
    func readAuthz(_ section: Section) -> AuthzPart {
        var part = AuthzPart()
        part.peers = section.list("peers", .fewPeers) ?? []
        section.read("cachedTokens", .number(0...1_000_000), into: &part.cachedTokens)
        part.qualifiesSubjects = section.value("subjects", .choice(["plain": false, "qualified": true]))
        section.finish()
        return part
    }

    /// Requires `authz.subjects` with several issuers: two of them may have a user of the same name, so the operator
    /// has to say how they are told apart.
    func checkSubjects(_ top: Section, _ part: AuthzPart, _ issuers: [TrustedIssuer]) {
        guard part.qualifiesSubjects == nil, Set(issuers.map(\.issuer)).count > 1,
            !context.isReported("authz.subjects"),
            top.entries("issuers")?.count == issuers.count
        else { return }
        context.report(
            "authz.subjects", line: top.line(of: "issuers"),
            "is missing; expected qualified, or plain where whoever asks tells users by X-Auth-Issuer too")
    }

    /// Reads the list `routes`.
    func readRoutes(
        _ top: Section, server: ServerPart, clients: [String], requirements: RequirementsPart, overlap: RouteOverlap
    ) -> [RouteSettings] {
        var read: [(place: Int, route: RouteSettings)] = []
        for (place, entry) in (top.entries("routes") ?? []).enumerated() {
            guard var route = readRoute(entry, clients, requirements) else { continue }
            limitTime(entry, &route, server.listener.limits.requestTime)
            read.append((place, route))
        }
        let problems =
            RouteSettings.problems(
                read.map(\.route), basePath: server.api?.basePath ?? "/bff", clients: clients,
                requirements: requirements.names)
            + overlap.problems(read.map(\.route))
        for problem in problems {
            let key = Self.key(of: problem.setting, read.map(\.place))
            if !context.isReported(key) { context.report(key, problem.expected) }
        }
        return read.map(\.route)
    }

    /// Limits a route's time to that of the listener, which ends every call; a longer time in the file is reported.
    private func limitTime(_ entry: Section, _ route: inout RouteSettings, _ most: Duration) {
        guard route.timeout > most else { return }
        if entry.names(in: "limits").contains("time") {
            context.report(
                entry.key("limits.time"),
                "expected no more than server.limits.requestTime, \(ValueForm<Duration>.text(most))")
        }
        route.timeout = most
    }

    /// The key of a route in the file: the index in `setting` counts only the routes that could be read.
    private static func key(of setting: String, _ places: [Int]) -> String {
        guard let end = setting.firstIndex(of: "]"), setting.hasPrefix("routes["),
            let index = Int(setting[..<end].dropFirst("routes[".count)), places.indices.contains(index)
        else { return setting }
        return "routes[\(places[index])" + setting[end...]
    }

    private func readRoute(
        _ entry: Section, _ clientNames: [String], _ requirements: RequirementsPart
    ) -> RouteSettings? {
        guard entry.exists else { return nil }
        let path = entry.required("path", .text("a path like /api/accounts"))
        let upstream = entry.required("upstream", .address("an address like http://ledger:9000/accounts"))
        let methods = readMethods(entry)
        let clients = entry.list("clients", .oneOf(clientNames)) ?? []
        let demand = entry.required("require", .demand)
        let slides = entry.value("slides", .flag)
        let limits = entry.section("limits")
        let body = limits.value("body", .size(RouteSettings.bodyRange))
        let time = limits.value("time", .duration(RouteSettings.timeRange))
        let concurrency = limits.value("concurrency", .number(RouteSettings.concurrencyRange))
        limits.finish()
        let replay = entry.value("replay", .flag)
        let bodies = entry.value("bodies", .flag)
        let insecureOverlap = entry.value("insecureOverlap", .flag)
        let keepsCacheControl = entry.value("keepsCacheControl", .flag)
        let headers = entry.list("headers", .fieldName)
        let answerHeaders = entry.list("answerHeaders", .fieldName)
        let vary = entry.list("vary", .fieldName)
        let insecureHTTP = entry.value("insecureHttp", .flag) ?? false
        let insecureCaching = entry.value("insecureCaching", .flag) ?? false
        entry.finish()
        guard let path, let upstream, let methods, let demand else { return nil }
        checkDemand(entry, demand, clients: clients, upstream: upstream, insecureHTTP: insecureHTTP)
        checkStepUp(entry, demand, clients: clients, requirements: requirements, clientNames: clientNames)
        let id = methods.map(\.rawValue).joined(separator: ",") + " " + path
        var route = RouteSettings(
            path: path, upstream: upstream, methods: methods,
            route: RouteDefinition(id: id, clients: clients, demand: demand, extendsIdle: slides ?? true))
        if let body { route.bodyLimit = body }
        if let time { route.timeout = time }
        if let concurrency { route.concurrency = concurrency }
        if let replay { route.replay = replay }
        if let bodies { route.bodies = bodies }
        if let insecureOverlap { route.insecureOverlap = insecureOverlap }
        if let keepsCacheControl { route.keepsCacheControl = keepsCacheControl }
        if let headers { route.headers = headers }
        if let answerHeaders { route.answerHeaders = answerHeaders }
        if let vary { route.vary = vary }
        checkCaching(entry, route, insecure: insecureCaching)
        return route
    }

    private func readMethods(_ entry: Section) -> [HTTPMethod]? {
        let form = ValueForm<HTTPMethod>.choice([
            "GET": .get, "HEAD": .head, "POST": .post, "PUT": .put, "PATCH": .patch, "DELETE": .delete,
        ])
        guard let methods = entry.list("methods", form) else {
            if !entry.contains("methods") {
                context.report(
                    entry.key("methods"), line: entry.line, "is missing; expected a list of \(form.expected)")
            }
            return nil
        }
        return methods
    }

    private func checkDemand(
        _ entry: Section, _ demand: RouteDefinition.Demand, clients: [String], upstream: WebURL,
        insecureHTTP: Bool
    ) {
        if demand == .none {
            guard entry.contains("clients") else { return }
            context.report(entry.key("clients"), "expected none, because calls go out without a token")
        } else if upstream.scheme == .http, !upstream.isLoopback {
            context.refuse(
                entry.key("upstream"), line: entry.line(of: "upstream"), "tokens would go there unencrypted; use https",
                unless: insecureHTTP, entry.key("insecureHttp"))
        }
    }

    /// Refuses answers that caches could give to the wrong user: the API's `Cache-Control` allows for the token, but in
    /// front of this server only the cookie names the user.
    private func checkCaching(_ entry: Section, _ route: RouteSettings, insecure: Bool) {
        guard route.keepsCacheControl, route.route.demand != .none,
            !route.vary.contains(where: { $0.canonicalName.isSameText(as: "cookie") })
        else { return }
        context.refuse(
            entry.key("keepsCacheControl"), line: entry.line(of: "keepsCacheControl"),
            "caches would give the answers of one user to another; expected Cookie in vary", unless: insecure,
            entry.key("insecureCaching"))
    }

    /// Requires that a route uses the client that its requirement steps up with, because the repeated call must use the
    /// elevated token.
    private func checkStepUp(
        _ entry: Section, _ demand: RouteDefinition.Demand, clients: [String], requirements: RequirementsPart,
        clientNames: [String]
    ) {
        guard case .requirement(let name) = demand, !clients.isEmpty,
            let stepUp = requirements.requirements.first(where: { $0.name == name })?.stepUp,
            clientNames.contains(stepUp), !clients.contains(stepUp)
        else { return }
        context.report(
            entry.key("clients"), "expected the client among them that the requirement '\(name)' steps up with")
    }
}

extension ValueForm where Value == String {
    /// The name of a configured client.
    fileprivate static func oneOf(_ clients: [String]) -> Self {
        ValueForm(expected: "the name of a client", words: clients) { clients.contains($0) ? $0 : nil }
    }
}

extension ValueForm where Value == HTTPField.Name {
    static var fieldName: Self {
        ValueForm(expected: "the name of a header field, like X-Tenant") { text in
            text.utf8.count <= 64 ? try? HTTPField.Name(checking: text) : nil
        }
    }
}

extension ValueForm where Value == RouteDefinition.Demand {
    static var demand: Self {
        ValueForm(expected: "none, signed-in or the name of a requirement") { text in
            switch text {
            case "none": RouteDefinition.Demand.none
            case "signed-in": .signedIn
            default: text.isName ? .requirement(text) : nil
            }
        }
    }
}
