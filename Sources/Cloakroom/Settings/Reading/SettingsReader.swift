internal import BFF
internal import BFFAPI
internal import Basics
internal import HTTPClient
internal import HTTPCore
internal import HTTPServer
internal import Logs
internal import ProductKit
internal import SettingsKit
internal import StorageKit
internal import YAML

/// Turns a settings file into settings, or into the list of all of its problems.
struct SettingsReader {
    let context: ReadingContext
    /// The products that a client may have.
    let products: [any ProductSettings.Type]
    /// The keys in place of configured ones, where sessions do not outlive the process.
    let ephemeralKeys: ServerKeys?
    /// The keys from the program's own source; nil when it has none.
    let ownKeys: Result<ServerKeys, any Error>?

    /// Reads the content of a file.
    ///
    /// - Returns: The settings; nil when problems were reported.
    func read(_ bytes: [UInt8]) -> Settings? {
        let root: YAMLNode?
        do throws(YAMLError) {
            root = try YAMLNode(parsing: bytes)
        } catch {
            report(error)
            return nil
        }
        guard let root, root.mapping != nil else {
            context.report("", line: 1, "expected settings: at least server.publicUrl and one client")
            return nil
        }
        guard !reportMergeKeys(root, "") else { return nil }
        let top = Section(root, path: "", pattern: "", line: 1, context: context)
        var server = readServer(top.section("server"))
        var session = readSession(top.section("session"))
        session.sessions.heldPolls = server.heldPolls
        let outbound = readOutbound(top.section("outbound"))
        let storages = readStorages(top, session.store)
        let clients = readClients(
            top, storages: storages, publicURL: server.api?.publicURL, requestTime: server.listener.limits.requestTime)
        let log = readLog(top.section("log"))
        let requirements = readRequirements(top)
        let clientNames = top.names(in: "clients")
        let references = StepUpReferences(
            clients: clients, requirements: requirements, clientNames: clientNames,
            sessionEnd: session.sessions.absolute, context: context)
        references.check()
        references.checkEnding(session.sessions.endingRequirement)
        references.checkDevices(isOffered: session.sessions.deviceCookie != nil)
        if session.sessions.deviceCookie != nil, let api = server.api, api.publicURL.scheme != .https {
            context.report(
                "session.deviceBinding", "expected off without https: browsers bind no session over plain http")
        }
        // rule: a session is bound where its browser can prove it
        if session.sessions.deviceCookie != nil, let api = server.api, !api.hosts.isEmpty {
            context.report(
                "session.deviceBinding",
                "expected off with server.hosts: browsers bind a session to one host, publicUrl's")
        }
        references.check(pingClients: server.api?.pingClients ?? [])
        let routes = readRoutes(
            top, server: server, clients: clientNames, requirements: requirements,
            overlap: RouteOverlap(requirements: requirements.requirements, clients: clients))
        for route in routes { references.check(route.route) }
        // The listener accepts the longest body of any route; the admin listener has no routes.
        server.listener.limits.body = routes.reduce(server.listener.limits.body) { max($0, $1.bodyLimit) }
        let issuers = readIssuers(top)
        let authz = readAuthz(top.section("authz"))
        checkSubjects(top, authz, issuers)
        let canAsk = server.admin != nil || !authz.peers.isEmpty
        let isUnsaid = ["server.admin", "authz.peers", "clients"].allSatisfy { !context.isReported($0) }
        if top.contains("issuers"), clientNames.isEmpty, !canAsk, isUnsaid {
            context.report("issuers", "no gateway can ask /authz; set server.admin, or authz.peers")
        }
        top.finish()
        if let app = server.app { checkSecretsAreApart(app) }
        guard context.sortedProblems().isEmpty, let api = server.api, let keys = session.keys else { return nil }
        var settings = Settings(
            listener: server.listener, admin: server.admin, api: api, sessions: session.sessions, store: session.store,
            keys: keys, clients: clients, requirements: requirements.requirements, routes: routes, issuers: issuers,
            authzPeers: authz.peers, cachedTokens: authz.cachedTokens, outbound: outbound, drain: server.drain, log: log
        )
        settings.storages = storages
        settings.authzRate = server.authzRate
        settings.adminToken = server.adminToken
        settings.sessions.returns.targets = server.targets
        settings.qualifiesSubjects = authz.qualifiesSubjects ?? false
        return settings
    }

    private func readLog(_ section: Section) -> LogSettings {
        var log = LogSettings()
        section.read("level", .anyCase, into: &log.level)
        section.read("format", .choice(["text": .text, "json": .json]), into: &log.format)
        section.read("audit", .flag, into: &log.audit)
        section.finish()
        return log
    }

    private func readOutbound(_ section: Section) -> HTTPClientSettings {
        var outbound = HTTPClientSettings()
        if let file = section.value("caFile", .text("the path of a PEM file")) {
            let path = context.files.path(file)
            outbound.caFile = path
            context.note(section.key("caFile"), file: path)
            do throws(SettingsFiles.FileError) {
                _ = try context.files.read(path, limit: 16 << 20)
                if !HTTPClientSettings.holdsCertificate(path) {
                    context.report(section.key("caFile"), "the file holds no certificate in PEM")
                }
            } catch {
                context.report(section.key("caFile"), "\(error.message(limit: "16MiB")): \(path)")
            }
        }
        outbound.proxy = section.value("proxy", .address("an address like http://proxy.example.com:3128"))
        section.read("connections", .number(HTTPClientSettings.connectionRange), into: &outbound.connections)
        section.read(
            "connectionsPerHost", .number(HTTPClientSettings.connectionRange), into: &outbound.connectionsPerHost)
        section.read("waitingRequests", .number(HTTPClientSettings.waitingRange), into: &outbound.waitingRequests)
        section.read("connectTimeout", .duration(.milliseconds(100) ... .seconds(60)), into: &outbound.connectTimeout)
        section.read("answers", .size(64 << 10...64 << 20), into: &outbound.bodyLimit)
        section.finish()
        return outbound
    }

    /// Reports every `<<`, and nothing else: the keys that it was to merge would be missing everywhere.
    ///
    /// - Returns: True if the document has a merge key.
    private func reportMergeKeys(_ node: YAMLNode, _ path: String) -> Bool {
        var isFound = false
        for (place, item) in (node.sequence ?? []).enumerated() {
            if reportMergeKeys(item, "\(path)[\(place)]") { isFound = true }
        }
        for pair in node.mapping ?? [] {
            let name = pair.key.scalar?.text ?? "?"
            let key = path.isEmpty ? name : "\(path).\(name)"
            // rule: merge keys are said by their name
            if name == "<<", pair.key.scalar?.isPlain == true {
                isFound = true
                context.report(
                    key, line: pair.key.mark.line,
                    "merge keys are not read; write the keys out, or let an alias stand for a whole value")
            } else if reportMergeKeys(pair.value, key) {
                isFound = true
            }
        }
        return isFound
    }

    private func report(_ error: YAMLError) {
        let line = error.mark.line
        switch error.reason {
        case .syntax(let words):
            context.report("", line: line, "not YAML: \(words)")
        case .duplicateKeys(let keys):
            for key in keys {
                let name = key.name ?? ""
                context.report(name, line: key.mark.line, name.isEmpty ? "a key is there twice" : "is there twice")
            }
        case .notUTF8:
            context.report("", line: line, "the file is not UTF-8")
        case .openQuote, .tab:
            context.report("", line: line, "not YAML: \(error.problem)")
        case .unknownTag, .misplacedTag, .severalDocuments, .selfReference, .tooLong, .tooDeep, .tooManyNodes,
            .tooManyDirectives, .outOfMemory:
            context.report("", line: line, error.problem)
        }
    }
}
