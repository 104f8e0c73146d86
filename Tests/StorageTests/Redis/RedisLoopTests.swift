import Basics
import EventLoop
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store, on several event threads,", .enabled(if: RedisServer.isInstalled), .timeLimit(.minutes(2)))
struct RedisLoopTests {
    private let clock = ManualTime()
    private let threads: [EventThread]

    init() throws {
        threads = try (1...3).map { try EventThread(name: "loop-\($0)") }
    }

    private func store(_ settings: RedisSettings, _ log: RecordedLog = RecordedLog()) -> RedisStore {
        RedisStore(settings, on: threads, time: clock, logger: log.logger())
    }

    private func settings(_ server: RedisServer) -> RedisSettings {
        var settings = server.settings()
        settings.address = .tcp(host: "127.0.0.1", port: server.port)
        return settings
    }

    /// Runs a body on an event thread.
    private func on<Value: Sendable>(
        _ thread: EventThread, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withTaskExecutorPreference(thread.executor) { try await body() }
    }

    /// The connections that the server has, but for the one that asks.
    private func connections(_ server: RedisServer) throws -> Int {
        let list = try server.ask(["CLIENT", "LIST"], until: "cmd=client|list")
        return list.split(whereSeparator: \.isNewline).count { $0.contains("id=") && !$0.contains("cmd=client|list") }
    }

    /// The addresses from which the server got reads of these sessions, in their order.
    private func senders(
        _ server: RedisServer, _ keys: [[UInt8]], of body: () async throws -> Void
    ) async throws -> [String] {
        let (seen, end) = (Locked(""), "end-of-\(SessionKey.unique().bytes[0])")
        let thread = try NativeThread("monitor") {
            let answer = (try? server.ask(["MONITOR"], until: end)) ?? ""
            seen.withLock { $0 = answer }
        }
        while try !server.ask(["CLIENT", "LIST"], until: "cmd=client|list").contains("cmd=monitor") {}
        try await body()
        _ = try server.ask("ECHO", end)
        thread.join()
        let lines = seen.withLock { $0 }.split(whereSeparator: \.isNewline)
        return try keys.map { key in
            let name = String(decoding: key, as: UTF8.self)
            let line = try #require(lines.first { $0.contains(name) })
            return String(try #require(line.split(separator: "]").first?.split(separator: " ").last))
        }
    }

    @Test func `sends what a later part of the turn has asked before the thread waits`() async throws {
        let server = try RedisServer(listening: [])
        var settings = settings(server)
        settings.commandTimeout = .seconds(5)
        let store = store(settings)
        try await on(threads[0]) { try await store.ping() }
        // A part that once begins a task, as a listener does with a request whose body is still to come.
        let executor = threads[0].executor
        let isInTime = await withCheckedContinuation { answered in
            _ = threads[0].post { loop in
                let isBegun = Locked(false)
                _ = loop.addTurnStep { _ in
                    let isFirst = isBegun.withLock { begun in
                        defer { begun = true }
                        return !begun
                    }
                    guard isFirst else { return false }
                    Task.immediateDetached(executorPreference: executor) {
                        let began = ContinuousClock.now
                        let isSound: Void? = try? await store.ping()
                        answered.resume(returning: isSound != nil && .now - began < .seconds(2))
                    }
                    return false
                }
            }
        }
        #expect(isInTime)
        await store.close()
    }

    @Test func `sends a command on the connection of the thread that asks, and others on the first`() async throws {
        let server = try RedisServer(listening: [])
        let settings = settings(server)
        let store = store(settings)
        let names = KeyNames(settings.prefix)
        let sessions = (0..<8).map { _ in SessionKey.unique() }
        // The order of the threads, twice; then none.
        let order = [0, 1, 2, 2, 1, 0, nil, nil]
        let senders = try await senders(server, sessions.map(names.session)) {
            for (session, place) in zip(sessions, order) {
                guard let place else {
                    _ = try await store.read(session, .all)
                    continue
                }
                try await on(threads[place]) {
                    #expect(threads[place].isCurrent)
                    _ = try await store.read(session, .all)
                    #expect(threads[place].isCurrent)
                }
            }
        }
        #expect(Set(senders).count == 3)
        for (sender, place) in zip(senders, order) { #expect(sender == senders[place ?? 0]) }
        await store.close()
        #expect(try connections(server) == 0)
    }

    @Test func `has one connection for each thread and one for messages, however much is asked`() async throws {
        let server = try RedisServer(listening: [])
        let store = store(settings(server))
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        _ = try await store.changes(of: .session(key))
        try await withThrowingTaskGroup { group in
            for number in 0..<300 {
                group.addTask(executorPreference: threads[number % 3].executor) {
                    let value = try await store.read(key, .all)["a"]?.value
                    #expect(value == [1])
                }
            }
            try await group.waitForAll()
        }
        #expect(try connections(server) == 4)
        await store.close()
    }

    @Test func `makes each connection anew`() async throws {
        let server = try RedisServer(listening: [])
        let log = RecordedLog()
        let store = store(settings(server), log)
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        func readEverywhere() async throws {
            for thread in threads {
                try await on(thread) {
                    let value = try await store.read(key, .all)["a"]?.value
                    #expect(value == [1])
                }
            }
        }
        try await readEverywhere()
        #expect(try server.ask("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes") == ":3\r\n")
        try await readEverywhere()
        #expect(try connections(server) == 3)
        // A thread may be done before another notices.
        let losses = log.lines.count { $0.contains("has no connection") }
        #expect(1...3 ~= losses && log.lines.count { $0.contains("answers again") } == losses, "\(log.lines)")
        await store.close()
    }

    @Test func `gives a lease to one thread, and lets another renew and release it`() async throws {
        let server = try #require(RedisServer.shared)
        // It listens once it answers.
        _ = try server.ask("PING")
        let store = store(server.settings())
        let claims = try await withThrowingTaskGroup { group in
            for number in 0..<30 {
                group.addTask(executorPreference: threads[number % 3].executor) {
                    try await store.claim("n", for: .seconds(60))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        #expect(claims.count == 1)
        let held = try #require(claims.first)
        try await on(threads[1]) {
            let renewed = try await store.renew(held, for: .seconds(60))
            #expect(renewed == held)
        }
        try await on(threads[2]) { try await store.release(held) }
        #expect(try await store.claim("n", for: .seconds(60))?.fence == held.fence + 1)
        await store.close()
    }

    @Test func `answers every command when one of the threads has stopped, and when all have`() async throws {
        let server = try #require(RedisServer.shared)
        // It listens once it answers.
        _ = try server.ask("PING")
        let store = store(server.settings())
        let key = SessionKey.unique()
        try await store.commit(key, .create(expires: clock.after(.seconds(60)), writes: [.set("a", [1])]))
        await threads[2].stop()
        try await on(threads[2]) {
            let value = try await store.read(key, .all)["a"]?.value
            #expect(value == [1], "the first thread does it")
        }
        await threads[0].stop()
        await threads[1].stop()
        for thread in threads {
            try await on(thread) {
                let refused = await refusal { () throws(StoreError) in try await store.ping() }
                #expect(refused == .unavailable)
            }
        }
        await store.close()
    }

    @Test func `leaves an old primary on all threads`() async throws {
        let primary = try RedisServer(listening: [])
        let replica = try RedisServer(listening: ["--replicaof", "127.0.0.1 \(primary.port)"])
        while try !replica.ask(["INFO", "replication"], until: "master_sync_in_progress").contains("link_status:up") {
            await Task.yield()
        }
        let sentinel = try FalseSentinel(naming: primary)
        var settings = RedisSettings(address: .sentinels(.init(hosts: [sentinel.host], master: "main")))
        settings.commandTimeout = .seconds(30)
        let store = store(settings)
        func pingEverywhere() async throws {
            for thread in threads {
                try await on(thread) { while (try? await store.ping()) == nil {} }
            }
        }
        try await pingEverywhere()
        while !sentinel.isHeard { await Task.yield() }
        _ = try replica.ask("REPLICAOF", "NO", "ONE")
        sentinel.name(replica)
        sentinel.tell(from: primary, to: replica)
        while try connections(primary) > 0 { await Task.yield() }
        try await pingEverywhere()
        #expect(try connections(replica) == 3)
        await store.close()
        sentinel.stop()
    }
}

@Suite("The report of several connections")
struct WireReportTests {
    @Test func `has one line for what they have in common, and one once the last of them works`() {
        let log = RecordedLog()
        let report = WireReport("server", "commands", log.logger())
        let (one, two) = (report.source(), report.source())
        report.opened(one)
        #expect(log.lines == [] && report.failure == nil)
        report.ended(.silent, one)
        report.ended(.silent, two)
        #expect(log.lines.count { $0.contains("did not answer in time") } == 1 && log.lines.count == 1)
        report.ended(.closedByServer, two)
        #expect(log.lines.count == 2 && report.failure == .closedByServer)
        report.opened(one)
        #expect(log.lines.count == 2 && report.failure != nil)
        report.opened(two)
        #expect(log.lines.count { $0.contains("answers again") } == 1 && report.failure == nil)
        report.ended(.silent, one)
        #expect(log.lines.count == 4)
    }
}
