import BFF
import BFFAPI
import Basics
import Cloakroom
import EventLoop
import HTTPCore
import IdentitySimulator
import ProductKit
import StorageKit
import StorageRedis
import TestSupport
import Testing

/// The store that two servers share in a test.
enum SharedStoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory
    case redis

    var testDescription: String { rawValue }
}

/// Two servers over one store, each by a way of its own, whose tokens are in a storage with a strategy.
struct StorageNodes: Sendable {
    let first: Bench
    let second: Bench
    /// The first server's way to the store.
    let store: SwitchedStore
    let ledger: LedgerAPI
    /// A browser of the first server that is signed in; `user` and a call were answered, and would be copied.
    let browser: Browser

    /// Reads what may be copied: `user`, and a call to an API.
    func reads() async throws -> [Browser.Answer] {
        [try await browser.user(), try await browser.call(.get, "/api/accounts")]
    }

    /// The statuses of what may be copied.
    func statuses() async throws -> [Int] { try await reads().map(\.status) }

    /// Lets a minute and a half of the servers' time go by: no copy is that old.
    func outlive() { first.time.advance(by: .seconds(90)) }
}

/// Runs a test with two servers whose storage `main` has a strategy.
///
/// - Parameters:
///   - strategy: The strategy of the storage that holds the tokens.
///   - kind: The store that both servers share.
///   - keepsMessages: False to lose all change messages on the way to the first server.
///   - adjust: Changes the settings of both.
///   - body: The test.
/// - Throws: The error of the body, or of what cannot be started.
func withStorage(
    _ strategy: CacheStrategy, over kind: SharedStoreKind = .memory, keepsMessages: Bool = true,
    adjust: @escaping @Sendable (inout Settings) -> Void = { _ in }, _ body: (StorageNodes) async throws -> Void
) async throws {
    let time = ManualTime()
    switch kind {
    case .memory:
        try await withStorage(strategy, MemoryStore(time: time), time, keepsMessages, adjust, body)
    case .redis:
        guard let redis = try LocalRedis() else { return }
        try await redis.ready()
        let thread = try EventThread(name: "store")
        let store = RedisStore(redis.settings, on: [thread], time: time, logger: RecordedLog().logger("store"))
        do {
            try await withStorage(strategy, store, time, keepsMessages, adjust, body)
        } catch {
            await store.close()
            await thread.stop()
            await redis.end()
            throw error
        }
        await store.close()
        await thread.stop()
        await redis.end()
    }
}

private func withStorage(
    _ strategy: CacheStrategy, _ inner: any ByteStore & ChangeMessages & SessionIndex, _ time: ManualTime,
    _ keepsMessages: Bool, _ adjust: @escaping @Sendable (inout Settings) -> Void,
    _ body: (StorageNodes) async throws -> Void
) async throws {
    let simulator = try Simulator(SimulatorSettings(.ping), time: time, logger: RecordedLog().logger("simulator"))
    try simulator.start()
    let ledger = try LedgerAPI(simulator, time)
    let origin = ledger.origin
    var options = Bench.Options(simulator: simulator, time: time)
    options.adjust = { settings, _ in
        settings.clients[0].tokenStorage = "main"
        let rule = strategy == .noCache ? nil : StorageStrategy(strategy)
        settings.storages = [StorageSettings(name: "main", strategy: rule, allowsStaleReads: strategy == .cache)]
        settings.routes = [
            RouteSettings(
                path: "/api/accounts", upstream: try #require(WebURL("\(origin)/accounts")), methods: [.get],
                route: RouteDefinition(id: "accounts", clients: ["standard"], demand: .signedIn))
        ]
        adjust(&settings)
    }
    let store = SwitchedStore(inner)
    store.losesMessages = !keepsMessages
    options.extensions.store = store
    let first = try Bench(options)
    options.keys = first.keys
    options.extensions.store = SwitchedStore(inner)
    let second = try Bench(options)
    do {
        let browser = first.browser()
        try await browser.signIn()
        let nodes = StorageNodes(first: first, second: second, store: store, ledger: ledger, browser: browser)
        // The first round tells the new cookie and begins to listen, the second one is kept.
        for _ in 0..<2 {
            #expect(try await nodes.statuses() == [200, 200])
            await first.settled()
        }
        #expect(try await nodes.statuses() == [200, 200])
        try await body(nodes)
    } catch {
        store.isAway = false
        await second.end(keepingSimulator: true)
        await first.end()
        await ledger.end()
        throw error
    }
    store.isAway = false
    await second.end(keepingSimulator: true)
    await first.end()
    await ledger.end()
}
