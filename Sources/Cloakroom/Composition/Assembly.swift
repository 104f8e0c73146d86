internal import BFF
internal import BFFAPI
internal import Basics
internal import Cryptography
internal import Discovery
internal import HTTPCore
internal import Logs
internal import OpenIDConnect
internal import ProductKit
internal import ResourceServer
internal import StorageKit

/// The parts built from one settings snapshot; a request uses one assembly from beginning to end.
///
/// A class, so that a request takes one reference instead of a copy of all parts.
final class Assembly: Sendable {
    let settings: Settings
    let backend: Backend
    let browser: BrowserAPI
    let admin: AdminAPI
    let notices: ProviderNotices
    private let directory: ProviderDirectory
    private let documents: DocumentCalls
    private let clients: [ClientDefinition]
    /// The state about each provider that outlives a reload.
    private let memories: [String: any Sendable]
    private let accessGuard: AccessGuard?
    private let authz: AuthzAPI?

    /// Builds the clients, the use cases and the API over a store and the outbound calls.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - extensions: The extensions of the program.
    ///   - store: The store of the sessions.
    ///   - outbound: Calls providers and APIs.
    ///   - surroundings: The wall clock and the log.
    ///   - former: The assembly of the previous settings, whose counts, caches and background tasks continue, and whose
    ///     clients are kept where their settings are unchanged; nil at the start.
    /// - Throws: `.client` naming a client that cannot be built; `.setting` naming a setting that cannot be used.
    init(
        _ settings: Settings, _ extensions: ServerExtensions, store: any ByteStore, outbound: OutboundChain,
        _ surroundings: Surroundings, after former: Assembly? = nil
    ) throws(ServerError) {
        var settings = settings
        // Streams are held open, and other calls need connections as well.
        settings.api.callerLimits.events = min(
            settings.api.callerLimits.events, max(1, surroundings.connections / 2))
        // No ID token states an authentication level, and only the provider knows that of an opaque access token.
        let introspects = settings.requirements.contains { $0.authLevel != nil }
        for index in settings.clients.indices where type(of: settings.clients[index].product).levelNote == nil {
            settings.clients[index].openID.introspectsTokens = introspects
        }
        settings.sessions.storages = try settings.strategies(extensions)
        let (time, logger) = (surroundings.time, surroundings.logger)
        if let name = extensions.stranger(among: settings.clients) {
            throw .client(name: name, cause: "the program extends it, and the settings have no client of that name")
        }
        documents = former?.documents ?? outbound.toDocuments()
        directory = former?.directory ?? ProviderDirectory(transport: documents, time: time, logger: logger)
        var definitions: [ClientDefinition] = []
        var kept: [ClientDefinition] = []
        var memories = former?.memories ?? [:]
        for client in settings.clients {
            if let same = former?.definition(of: client, settings.api) {
                definitions.append(same)
                kept.append(same)
                continue
            }
            let memory = memories[client.provider] ?? type(of: client.product).makeMemory()
            memories[client.provider] = memory
            definitions.append(
                try client.definition(
                    memory, api: settings.api, changes: extensions.changes, outbound: outbound,
                    directory: directory, surroundings: surroundings))
        }
        self.settings = settings
        clients = definitions
        let providers = Set(settings.clients.map(\.provider))
        self.memories = memories.filter { providers.contains($0.key) }
        backend = Backend(
            settings: settings.sessions, clients: definitions, requirements: settings.requirements, store: store,
            encryptor: extensions.encryptor, keys: settings.keys, time: time, renderer: UserDocument(), logger: logger,
            audits: settings.log.audit, after: former?.backend)
        if let same = former?.accessGuard(of: settings) {
            accessGuard = same
        } else {
            accessGuard = try Self.accessGuard(
                settings, directory, over: outbound.toIntrospection, time: time, logger: logger)
        }
        let authz = accessGuard.map {
            var authz = AuthzSettings(
                // A bearer token proves no browser session.
                requirements: settings.requirements.filter { !$0.needsBoundDevice }, peers: settings.authzPeers,
                qualifiesSubjects: settings.qualifiesSubjects)
            authz.rate = settings.authzRate
            return AuthzAPI(authz, accessGuard: $0, time: time, after: former?.authz)
        }
        self.authz = authz
        if let failure = settings.stepUpProblems().first {
            throw .setting(key: failure.setting, expected: failure.expected)
        }
        // A program may configure clients of further products than the settings file.
        let products = Products.all + settings.clients.map { type(of: $0.product) }
        do {
            browser = try BrowserAPI(
                settings.api, backend: backend, routes: settings.routes, transport: outbound.toAPIs, authz: authz,
                time: time, logger: logger, observer: extensions.callObserver,
                redirect: { location in products.lazy.compactMap { $0.challenge(at: location) }.first },
                startMembers: StartMemberNames(products.map { $0.startMembers }), after: former?.browser)
        } catch {
            throw .setting(key: error.setting, expected: error.expected)
        }
        admin = AdminAPI(
            backend: backend, authz: authz, token: settings.adminToken, logger: logger,
            observer: extensions.callObserver)
        notices = ProviderNotices(settings.clients, kept, directory, logger)
        // The last step, because settings that were refused above must change nothing.
        documents.follow(settings.clients)
    }

    /// The client with the same settings; nil when there is none.
    private func definition(of client: ClientSettings, _ api: APISettings) -> ClientDefinition? {
        guard api.pages == settings.api.pages, settings.clients.contains(client),
            api.pingClients.contains(client.name) == settings.api.pingClients.contains(client.name)
        else { return nil }
        return clients.first { $0.name == client.name }
    }

    /// The guard with the same issuers, together with its cached tokens; nil when there is none.
    private func accessGuard(of fresh: Settings) -> AccessGuard? {
        fresh.issuers == settings.issuers && fresh.cachedTokens == settings.cachedTokens ? accessGuard : nil
    }

    /// The guard that judges bearer tokens; nil when no issuer is trusted.
    private static func accessGuard(
        _ settings: Settings, _ directory: ProviderDirectory, over transport: any HTTPTransport, time: any TimeSource,
        logger: Logger
    ) throws(ServerError) -> AccessGuard? {
        guard !settings.issuers.isEmpty else { return nil }
        do {
            return try AccessGuard(
                issuers: settings.issuers, transport: transport, directory: directory,
                cachedTokens: settings.cachedTokens, time: time, logger: logger)
        } catch {
            throw .setting(key: "issuers", expected: "expected each issuer once")
        }
    }
}

/// The clock, the log and the bounds of this process, shared by all parts of a server.
struct Surroundings: Sendable {
    let time: any TimeSource
    let logger: Logger
    /// The most connections of the public listener.
    let connections: Int
}

extension ClientSettings {
    fileprivate func definition(
        _ memory: any Sendable, api: APISettings, changes: ConfigChanges, outbound: OutboundChain,
        directory: ProviderDirectory, surroundings: Surroundings
    ) throws(ServerError) -> ClientDefinition {
        let (time, logger) = (surroundings.time, surroundings.logger)
        let layers = product.layers(memory, time)
        let openID = OpenIDClient(
            openID, directory: directory, transport: outbound.toProvider(layers), time: time, logger: logger)
        let parts = ClientParts(
            client: self, pages: api.pages, openID: openID,
            // A product's client sets the header fields of its flows itself.
            transport: outbound.toProvider(layers.withoutHeaders, logsEach: false), memory: memory, changes: changes,
            time: time, logger: logger)
        let flows: any FlowClient
        do throws(ClientBuildError) {
            flows = try product.makeClient(parts)
        } catch {
            throw .client(name: name, cause: error.cause)
        }
        return ClientDefinition(
            name: name, flows: flows, tokens: OpenIDTokens(openID), sessionStorage: sessionStorage ?? sharedStorage,
            tokenStorage: tokenStorage ?? sharedStorage, limits: limits, minimum: minimum, allowed: allowed,
            timeout: timeout, stepTimeout: stepTimeout, leeway: self.openID.leeway, refreshThreshold: refreshThreshold,
            keepsSession: keepsSession, showsProviderPages: api.pingClients.contains(name), fingerprint: fingerprint)
    }

    /// The name of the default storage, which the clients of one provider share.
    private var sharedStorage: String {
        "~" + Base64URL.encode(Digest.hash(Array(provider.utf8)).prefix(9))
    }
}
