import BFF
import Basics
import Cryptography
import HTTPCore
import HTTPServer
import JourneyProduct
import ResourceServer
import StorageKit
import TestSupport
import Testing

@testable import BFFAPI

/// The API over real use cases, a memory store and a provider in memory, with a clock that stands still.
struct APIFixture: Sendable {
    let time: ManualTime
    let log = RecordedLog()
    let store: any ByteStore
    let provider: FakeProvider
    let backend: Backend
    let settings: APISettings
    let api: BrowserAPI
    /// What lies behind the routes.
    let network = ScriptedTransport()

    /// The API at `https://app.example.com`, with changed settings.
    ///
    /// `devices` binds sessions to devices, with this life of their cookies; `besides` makes a further node over the
    /// store, clock and provider of another one. With routes there is a client `payment` too, whose tokens have the scope `PAY`, and the requirement `pay` for it.
    init(
        store: (any ByteStore)? = nil, routes: [RouteSettings] = [], requirements: [Requirement] = [],
        observing calls: Locked<[FinishedCall]>? = nil, devices: Duration? = nil, keys: ServerKeys? = nil,
        besides other: APIFixture? = nil, _ change: (inout APISettings) -> Void = { _ in }
    ) throws {
        time = other?.time ?? ManualTime()
        let store = other?.store ?? store ?? MemoryStore(time: time)
        self.store = store
        provider = other?.provider ?? FakeProvider(time: time)
        var sessions = BFFSettings()
        sessions.deviceCookie = devices
        let allowed = StartAllowance(parameters: ["locale"], acrValues: ["gold"], prompts: ["login"])
        let standard = FakeSignInClient(provider, journeys: ["Login", "Other"])
        let transaction = FakeSignInClient(provider)
        var clients = [
            ClientDefinition(
                name: "standard", flows: standard, tokens: standard, sessionStorage: "s", tokenStorage: "t",
                allowed: allowed),
            ClientDefinition(
                name: "transaction", flows: transaction, tokens: transaction, sessionStorage: "s", tokenStorage: "tx"),
        ]
        if !routes.isEmpty {
            let payment = FakeSignInClient(
                provider, clientID: "bff-pay", scopes: ["openid", "PAY"], journeys: ["Pay"])
            clients.append(
                ClientDefinition(
                    name: "payment", flows: payment, tokens: payment, sessionStorage: "s", tokenStorage: "p",
                    limits: ClientLimits(absolute: .seconds(300))))
        }
        backend = Backend(
            settings: sessions, clients: clients,
            requirements: [Requirement(name: "pay", scopes: ["PAY"], stepUp: "payment", challengeACR: "gold")]
                + requirements, store: store,
            keys: try keys ?? ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), time: time,
            renderer: UserDocument(),
            logger: log.logger())
        var settings = APISettings(publicURL: try #require(WebURL("https://app.example.com")))
        change(&settings)
        self.settings = settings
        let observer: CallObserver? =
            if let calls { { call in calls.withLock { $0.append(call) } } } else { nil }
        api = try BrowserAPI(
            settings, backend: backend, routes: routes, transport: network, time: time, logger: log.logger(),
            observer: observer, redirect: { ReceivedChallenge(location: $0) }, startMembers: JourneyStart.members)
    }

    /// A browser without a cookie.
    var browser: Browser { Browser(self) }

    /// Serves the API on a free port while the body runs; its browsers speak HTTP.
    func serving(_ body: (@escaping @Sendable () -> Browser, UInt16) async throws -> Void) async throws {
        let listener = try Listener(
            ListenerSettings(), logger: log.logger(), refusal: { api.refuse(status: $0, reason: $1) },
            originRefusal: { api.refuse(status: $0, reason: $1, origin: $2) },
            immediate: { api.answerAtOnce($0) }, handler: { await api.handle($0) })
        try listener.start()
        let port = listener.port
        do {
            try await body({ Browser(self, port: port) }, port)
        } catch {
            await listener.stop(grace: .seconds(5))
            throw error
        }
        await listener.stop(grace: .seconds(5))
    }

    /// A browser that is signed in and has come with its new cookie.
    func signedIn(_ user: String = "demo", _ instance: String = "standard") async throws -> Browser {
        let browser = browser
        try await browser.signIn(user, instance)
        try #require(await browser.call(.get, "/bff/session").status == 200)
        return browser
    }
}
