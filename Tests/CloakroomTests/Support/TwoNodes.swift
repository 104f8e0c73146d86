import Cloakroom
import HTTPCore
import TestSupport
import Testing

/// Two composed servers with one file, key and provider; with `keepsStore` over the store of the options.
func withNodes(
    _ options: Bench.Options = Bench.Options(), keepsStore: Bool = false, _ body: (Bench, Bench) async throws -> Void
) async throws {
    let folder = try TemporaryFolder()
    var options = options
    if !keepsStore { options.store = .sqlite(path: folder.file("sessions.sqlite")) }
    options.time = options.time ?? ManualTime()
    let first = try Bench(options)
    options.simulator = first.simulator
    options.keys = first.keys
    let second = try Bench(options)
    do {
        try await body(first, second)
    } catch {
        await second.end(keepingSimulator: true)
        await first.end()
        throw error
    }
    await second.end(keepingSimulator: true)
    await first.end()
}

/// The store that two servers share.
enum SharedStore: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case file, redis
    var testDescription: String { rawValue }
}

/// Two composed servers over one store of a kind; no test of Redis on a machine without it.
func withNodes(
    over shared: SharedStore, _ options: Bench.Options = Bench.Options(), _ body: (Bench, Bench) async throws -> Void
) async throws {
    guard shared == .redis else { return try await withNodes(options, body) }
    guard let redis = try LocalRedis() else { return }
    try await redis.ready()
    var options = options
    options.store = .redis(redis.settings)
    try await withNodes(options, keepsStore: true, body)
    await redis.end()
}

extension Browser {
    /// The browser at the other server, whose port and so whose cookie's name is another.
    func moved(to bench: Bench) throws -> Browser {
        let value = try #require(cookie).drop { $0 != "=" }
        return bench.browser(cookie: "cloakroom-\(bench.server.port)\(value)")
    }

    /// The way back of a browser that left from a server, at another one: what that leads to.
    func comeBack(_ address: String, from first: Bench, at second: Bench) async throws -> Answer {
        try await open(
            address.replacing(first.base.origin, with: second.base.origin),
            cookies: try #require(departure).replacing("\(first.server.port)", with: "\(second.server.port)"))
    }
}
