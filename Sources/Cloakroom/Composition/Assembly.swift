internal import BFF
internal import BFFAPI
internal import Basics
internal import Cryptography
internal import Discovery
internal import HTTPCore
internal import JourneyClient
internal import Logs
internal import OpenIDConnect
internal import ResourceServer
internal import StorageKit

/// The parts that one settings snapshot is made of; a request uses one assembly from beginning to end.
///
/// A class, so that a request takes one reference instead of a copy of everything.
final class Assembly: Sendable {
    let settings: Settings
    let backend: Backend
    let browser: BrowserAPI
    let admin: AdminAPI
    let notices: ProviderNotices

    /// Builds the clients, the use cases and the API over a store and a transport.
    ///
    /// - Throws: `.client` naming the client that cannot be built.
    init(
        _ settings: Settings, store: any ByteStore, transport: any HTTPTransport, time: any TimeSource, logger: Logger
    ) throws(ServerError) {
        let transport = TracedCalls(transport)
        let calls = ProviderCalls(transport, logger: logger)
        let directory = ProviderDirectory(transport: calls, time: time, logger: logger)
        var definitions: [ClientDefinition] = []
        var memories: [String: SessionsMemory] = [:]
        for client in settings.clients {
            let memory = memories[client.provider] ?? SessionsMemory()
            memories[client.provider] = memory
            definitions.append(
                try client.definition(
                    memory, settings.api, directory: directory, transport: transport, time: time,
                    logger: logger))
        }
        self.settings = settings
        backend = Backend(
            settings: settings.sessions, clients: definitions, requirements: settings.requirements, store: store,
            keys: settings.keys, time: time, renderer: UserDocument(), logger: logger,
            audits: settings.log.audit)
        let authz = try Self.authz(
            settings, directory, ProviderCalls(transport, introspects: true, logger: logger), time, logger)
        if let fault = settings.stepUpFaults().first {
            throw .setting(key: fault.setting, expected: fault.expected)
        }
        do {
            browser = try BrowserAPI(
                settings.api, backend: backend, routes: settings.routes, transport: transport, authz: authz,
                time: time, logger: logger)
        } catch {
            throw .setting(key: error.setting, expected: error.expected)
        }
        admin = AdminAPI(backend: backend, authz: authz, logger: logger)
        notices = ProviderNotices(settings.clients, directory, logger)
    }

    /// What answers about bearer tokens; nil when no issuer is trusted.
    private static func authz(
        _ settings: Settings, _ directory: ProviderDirectory, _ transport: any HTTPTransport, _ time: any TimeSource,
        _ logger: Logger
    ) throws(ServerError) -> AuthzAPI? {
        guard !settings.issuers.isEmpty else { return nil }
        do {
            let accessGuard = try AccessGuard(
                issuers: settings.issuers, transport: transport, directory: directory,
                cachedTokens: settings.cachedTokens, time: time, logger: logger)
            return AuthzAPI(
                AuthzSettings(
                    requirements: settings.requirements, peers: settings.authzPeers,
                    qualifiesSubjects: settings.qualifiesSubjects), accessGuard: accessGuard)
        } catch {
            throw .setting(key: "issuers", expected: "expected each issuer once, with an audience or a client")
        }
    }
}

extension ClientSettings {
    fileprivate func definition(
        _ memory: SessionsMemory, _ api: APISettings, directory: ProviderDirectory, transport: any HTTPTransport,
        time: any TimeSource, logger: Logger
    ) throws(ServerError) -> ClientDefinition {
        let openID = OpenIDClient(
            openID, directory: directory, transport: ProviderCalls(transport, logger: logger), time: time,
            logger: logger)
        let flows: any FlowClient
        switch product {
        case .journey(let settings):
            let journey: Journey
            do {
                journey = try Journey.createJourney { config in
                    settings.configure(&config, of: self, api)
                    config.sessionsMemory = memory
                    // The workflow writes a line per call itself.
                    config.transport = ProviderCalls(transport, saysEach: false, logger: logger)
                    config.time = time
                    config.logger = logger
                    config.oidc(openID)
                }
            } catch {
                throw .client(name: name, cause: "\(error)")
            }
            flows = JourneySignIn(journey, openID, journeys: settings.journeys)
        }
        return ClientDefinition(
            name: name, flows: flows, tokens: OpenIDTokens(openID), sessionStorage: sessionStorage ?? sharedStorage,
            tokenStorage: tokenStorage ?? sharedStorage, limits: limits, minimum: minimum, allowed: allowed,
            timeout: timeout, refreshThreshold: refreshThreshold, keepsSession: keepsSession)
    }

    /// Clients of one provider share a storage unless they name one.
    private var sharedStorage: String {
        "~" + Base64URL.encode(Digest.hash(Array(provider.utf8)).prefix(9))
    }
}
