import BFF
import BFFAPI
import Basics
import Cryptography
import JSON
import Logs
import ResourceServer
import StorageKit
import StorageSQLite
import TestSupport
import Testing

@testable import BFF

/// Where sessions lie in a test; every test that writes runs on both.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case file

    var testDescription: String { rawValue }
}

/// The use cases over a store that can fail and a provider in memory, with a clock that stands still.
///
/// Clients: `standard` and `transaction` share a provider session and have tokens of their own; `second` shares both
/// with `standard`; `gold` is as `transaction` and its tokens have to be of level 3; `admin` is signed out 300 s after
/// its sign-in, `kiosk` 40 s after its last use.
struct Fixture: Sendable {
    let time: ManualTime
    let log = RecordedLog()
    let store: FaultyStore
    let provider: FakeProvider
    let key: ServerKey
    let settings: BFFSettings
    let backend: Backend
    private let folder: TemporaryFolder?
    private let keepsSessions: Bool

    init(
        _ kind: StoreKind = .memory, keepsSessions: Bool = false, _ change: (inout BFFSettings) -> Void = { _ in }
    ) throws {
        self.keepsSessions = keepsSessions
        let time = ManualTime()
        self.time = time
        switch kind {
        case .memory:
            folder = nil
            store = FaultyStore(MemoryStore(time: time))
        case .file:
            let folder = try TemporaryFolder()
            self.folder = folder
            store = FaultyStore(try SQLiteStore(path: folder.file("store"), time: time, logger: log.logger()))
        }
        provider = FakeProvider(time: time)
        var settings = BFFSettings()
        settings.storeRetries = [.zero, .milliseconds(1), .milliseconds(1)]
        change(&settings)
        self.settings = settings
        key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        backend = Self.make(
            settings, provider, store, try ServerKeys([key]), time, log.logger(), keepsSessions: keepsSessions)
    }

    /// Another process: the same store, keys and configuration, nothing else in common; with a fingerprint, clients whose
    /// settings are others; `change` changes settings of the server.
    func another(
        keys: [ServerKey]? = nil, store own: FaultyStore? = nil, clock: ManualTime? = nil, fingerprint: [UInt8] = [],
        without gone: Set<String> = [], _ change: (inout BFFSettings) -> Void = { _ in }
    ) throws -> Backend {
        var settings = settings
        change(&settings)
        return Self.make(
            settings, provider, own ?? store, try ServerKeys(keys ?? [key]), clock ?? time, log.logger(),
            keepsSessions: keepsSessions, fingerprint: fingerprint, without: gone)
    }

    /// A browser without a cookie.
    func browser(_ backend: Backend? = nil) -> Browser { Browser(backend ?? self.backend) }

    /// A browser that is signed in and has come with its new cookie.
    func signedIn(_ user: String = "demo", _ instance: String = "standard") async throws -> Browser {
        let browser = browser()
        try await browser.signIn(user, instance)
        _ = try await browser.session()
        return browser
    }

    /// Runs a call at another process, which finds the lease of a renewal taken, while the provider holds the renewal.
    func whileRenewing(
        _ browser: Browser, _ call: @escaping @Sendable (Browser) async throws -> JSONValue
    ) async throws -> (first: Task<JSONValue, any Error>, second: Task<JSONValue, any Error>) {
        let gate = Gate()
        provider.hold(.refresh, at: gate)
        let first = Task { try await browser.user() }
        await gate.waitUntilHeld()
        let other = browser.at(try another())
        let claimed = Gate()
        store.before("claim") { claimed.open() }
        let second = Task { try await call(other) }
        await claimed.pass()
        gate.open()
        return (first, second)
    }

    /// What the audit tells, a line each without its particulars.
    var told: [String] { log.lines.compactMap { AuditLine($0)?.description } }

    /// The same process with new settings.
    func reloaded(fingerprint: [UInt8] = []) throws -> Backend {
        Self.make(
            settings, provider, store, try ServerKeys([key]), time, log.logger(), keepsSessions: keepsSessions,
            after: backend, fingerprint: fingerprint)
    }

    private static func make(
        _ settings: BFFSettings, _ provider: FakeProvider, _ store: any ByteStore, _ keys: ServerKeys,
        _ time: ManualTime, _ logger: Logger, keepsSessions: Bool, after former: Backend? = nil,
        fingerprint: [UInt8] = [], without gone: Set<String> = []
    ) -> Backend {
        let allowed = StartAllowance(parameters: ["locale"], acrValues: ["gold"], prompts: ["login"])
        func client(
            _ name: String, _ session: String, _ token: String, _ limits: ClientLimits = ClientLimits(),
            minimum: String? = nil
        ) -> ClientDefinition {
            let client = FakeSignInClient(provider, clientID: "bff-\(name)", journeys: ["Login", "Other"])
            return ClientDefinition(
                name: name, flows: client, tokens: client, sessionStorage: session, tokenStorage: token, limits: limits,
                minimum: minimum, allowed: allowed, keepsSession: keepsSessions, fingerprint: fingerprint)
        }
        let clients = [
            client("standard", "s", "s"), client("second", "s", "s"), client("transaction", "s", "tx"),
            client("admin", "a", "a", ClientLimits(absolute: .seconds(300))), client("free", "a", "a"),
            client("kiosk", "k", "k", ClientLimits(idle: .seconds(40))), client("gold", "s", "gold", minimum: "high"),
        ]
        let requirement = Requirement(name: "high", authLevel: 3, stepUp: "gold", challengeACR: "gold")
        return Backend(
            settings: settings, clients: clients.filter { !gone.contains($0.name) }, requirements: [requirement],
            store: store, keys: keys, time: time, renderer: UserDocument(), logger: logger, after: former)
    }
}
