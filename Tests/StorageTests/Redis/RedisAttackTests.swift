import Basics
import EventLoop
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("The Redis store, at a server that means harm,")
struct RedisAttackTests {
    private static let digest = "$40\r\n" + String(repeating: "a", count: 40) + "\r\n"
    private static let greeting = "+OK\r\n" + String(repeating: digest, count: Script.allCases.count)

    /// Reads the words of one command; nil at the end of the connection.
    private static func words(_ connection: PeerConnection, _ pending: inout [UInt8]) -> [String]? {
        func line() -> String? {
            while true {
                if let end = pending.firstRange(of: Array("\r\n".utf8)) {
                    defer { pending.removeSubrange(..<end.upperBound) }
                    return String(decoding: pending[..<end.lowerBound], as: UTF8.self)
                }
                guard let more = connection.readSome() else { return nil }
                pending += more
            }
        }
        guard let head = line(), let count = Int(head.dropFirst()) else { return nil }
        var words: [String] = []
        for _ in 0..<count {
            guard let head = line(), let length = Int(head.dropFirst()) else { return nil }
            while pending.count < length + 2 {
                guard let more = connection.readSome() else { return nil }
                pending += more
            }
            words.append(String(decoding: pending[..<length], as: UTF8.self))
            pending.removeFirst(length + 2)
        }
        return words
    }

    /// A server that greets and marks as it should, and answers each other command with this text.
    private static func peer(
        greeting: String? = nil, _ answer: @escaping @Sendable (_ words: [String], _ connection: Int) -> String
    ) throws -> ScriptedPeer {
        try ScriptedPeer { connection in
            var pending: [UInt8] = []
            // Answers of one read go out in one write, as those of a server do.
            var out = greeting ?? ""
            while true {
                if pending.isEmpty, !out.isEmpty {
                    connection.write(out)
                    out = ""
                }
                guard let words = words(connection, &pending) else { return }
                switch words.first {
                case "SELECT": out += greeting == nil ? "+OK\r\n" : ""
                case "SCRIPT": out += greeting == nil ? digest : ""
                case "ECHO": out += "$\(words[1].utf8.count)\r\n\(words[1])\r\n"
                default:
                    let text = answer(words, connection.number)
                    if text.isEmpty { return }
                    out += text
                }
            }
        }
    }

    private func store(
        _ peer: ScriptedPeer, _ log: RecordedLog = RecordedLog(), timeout: Duration = .milliseconds(400)
    ) throws -> RedisStore {
        var settings = RedisSettings(address: .tcp(host: "127.0.0.1", port: peer.port))
        settings.commandTimeout = timeout
        return RedisStore(settings, on: try EventThread(), time: ManualTime(), logger: log.logger())
    }

    /// What each operation threw.
    private func refusals(_ store: RedisStore) async -> [StoreError?] {
        let (key, end) = (SessionKey.unique(), ManualTime().after(.seconds(60)))
        let lease = Lease(name: "n", fence: 1, expires: end)
        return [
            await refusal { () throws(StoreError) in try await store.read(key, .all) },
            await refusal { () throws(StoreError) in try await store.read(key, .names(["a"])) },
            await refusal { () throws(StoreError) in
                try await store.commit(key, .create(expires: end, writes: [.set("a", [1])]))
            },
            await refusal { () throws(StoreError) in try await store.put("k", [1], expires: end) },
            await refusal { () throws(StoreError) in try await store.take("k") },
            await refusal { () throws(StoreError) in try await store.claim("n", for: .seconds(1)) },
            await refusal { () throws(StoreError) in try await store.renew(lease, for: .seconds(1)) },
            await refusal { () throws(StoreError) in try await store.release(lease) },
            await refusal { () throws(StoreError) in try await store.addToIndex([1], key, expires: end) },
            await refusal { () throws(StoreError) in
                let entry = IndexEntry(key, keys: [[1]], expires: end, marks: [key], field: "until")
                return try await store.addToIndex(entry)
            },
            await refusal { () throws(StoreError) in try await store.removeFromIndex([1], key) },
            await refusal { () throws(StoreError) in try await store.listIndex([1]) },
            await refusal { () throws(StoreError) in try await store.ping() },
        ]
    }

    @Test(
        "is unavailable with answers of the wrong kind, and takes none for an absent session or a free lease",
        arguments: [
            "+FINE\r\n", ":-7\r\n", "$3\r\nabc\r\n", "*1\r\n:5\r\n", "*2\r\n$4\r\ndone\r\n$1\r\nx\r\n",
            "*1\r\n*1\r\n$0\r\n\r\n",
            "*2\r\n$4\r\ndone\r\n$20\r\n18446744073709551615\r\n",
            "*2\r\n$4\r\ndone\r\n$16\r\n9007199254740993\r\n", "*2\r\n$8\r\nconflict\r\n:9\r\n",
            "*3\r\n$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n",
        ])
    func wrongKinds(_ answer: String) async throws {
        let peer = try Self.peer { _, _ in answer }
        let store = try store(peer)
        #expect(await refusals(store) == [StoreError?](repeating: .unavailable, count: 13))
        await store.close()
        peer.stop()
    }

    @Test("is unavailable where fields come without the marks of their session: that is no absent one")
    func fieldsAlone() async throws {
        let peer = try Self.peer { _, _ in "*3\r\n$-1\r\n$1\r\n1\r\n$1\r\nx\r\n" }
        let store = try store(peer)
        let refused = await refusal { () throws(StoreError) in _ = try await store.read(.unique(), .names(["a"])) }
        #expect(refused == .unavailable)
        await store.close()
        peer.stop()
    }

    @Test(
        "is unavailable with every error but a lack of memory, and never says what the server said besides",
        arguments: [
            "LOADING Redis is loading", "MISCONF no snapshots", "NOAUTH Authentication required.", "READONLY a replica",
            "BUSY a script", "CLUSTERDOWN down", "ERR unknown command secret-value", "secret-value", "",
            "MASTERDOWN link", "WRONGTYPE kind", "NOSCRIPT none", "EXECABORT", "NOPERM no",
        ])
    func errors(_ line: String) async throws {
        let log = RecordedLog()
        let peer = try Self.peer { _, _ in "-\(line)\r\n" }
        let store = try store(peer, log)
        #expect(await refusals(store) == [StoreError?](repeating: .unavailable, count: 13))
        #expect(!log.lines.joined().contains("secret-value"))
        await store.close()
        peer.stop()
    }

    @Test(
        "gives up a connection with bytes that are no answers",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "?\r\n", "*-9\r\n", "$-9\r\n", "*2147483647\r\n", "*1000000\r\n",
            "$9223372036854775807\r\n", String(repeating: "*1\r\n", count: 40), ":12x\r\n", "\0\0\0\0\r\n",
            ":99999999999999999999999\r\n",
        ])
    func garbage(_ bytes: String) async throws {
        let peer = try Self.peer { _, connection in connection == 1 ? bytes : "+PONG\r\n" }
        let store = try store(peer)
        let first = await refusal { () throws(StoreError) in try await store.take("k") }
        #expect(first == .unavailable)
        for _ in 0..<100 where (try? await store.ping()) == nil {}
        #expect(peer.connectionCount > 1)
        await store.close()
        peer.stop()
    }

    @Test(
        "gives up a connection whose greeting is not answered as it must be",
        arguments: [
            "-NOAUTH sign in\r\n", "+NO\r\n", ":1\r\n", "+OK\r\n$3\r\nabc\r\n", "+OK\r\n+OK\r\n",
            "+OK\r\n$40\r\n" + String(repeating: "z", count: 40) + "\r\n", greeting + "+OK\r\n",
        ])
    func badGreeting(_ greeting: String) async throws {
        let log = RecordedLog()
        let peer = try Self.peer(greeting: greeting) { _, _ in "+PONG\r\n" }
        let store = try store(peer, log)
        #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable)
        await store.close()
        #expect(log.lines.contains { $0.contains("has no connection") })
        peer.stop()
    }

    @Test func `takes no answer without the mark of its own command`() async throws {
        let peer = try ScriptedPeer { connection in
            var pending: [UInt8] = []
            while let words = Self.words(connection, &pending) {
                switch words.first {
                case "SELECT": connection.write("+OK\r\n")
                case "SCRIPT": connection.write(Self.digest)
                case "ECHO": connection.write("$3\r\nabc\r\n")
                default: connection.write("+PONG\r\n")
                }
            }
        }
        let store = try store(peer)
        #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable)
        await store.close()
        peer.stop()
    }

    @Test func `sends a commit once, and a read on one more connection at most`() async throws {
        let (commits, reads) = (Locked(0), Locked(0))
        let peer = try Self.peer { words, _ in
            if words[0].hasPrefix("EVAL") { commits.withLock { $0 += 1 } }
            if words[0] == "HGETALL" { reads.withLock { $0 += 1 } }
            return words[0] == "PING" ? "+PONG\r\n" : ""
        }
        let store = try store(peer)
        let (key, end) = (SessionKey.unique(), ManualTime().after(.seconds(60)))
        #expect(
            await refusal { () throws(StoreError) in try await store.commit(key, .create(expires: end)) }
                == .unavailable)
        #expect(await refusal { () throws(StoreError) in try await store.read(key, .all) } == .unavailable)
        #expect(commits.withLock { $0 } == 1)
        #expect(1...2 ~= reads.withLock { $0 })
        await store.close()
        peer.stop()
    }

    @Test func `makes few connections and log lines at a server that refuses every subscription`() async throws {
        let peer = try Self.peer { words, _ in words[0] == "SUBSCRIBE" ? "-NOPERM no\r\n" : "+PONG\r\n" }
        let log = RecordedLog()
        let store = try store(peer, log, timeout: .seconds(20))
        try await store.ping()
        for number in 1...6 {
            #expect(
                await refusal { () throws(StoreError) in try await store.changes(of: .lease("n")) } == .unavailable)
            #expect(peer.connectionCount <= 2 + number, "one more for each wait at most")
            try await store.ping()
        }
        #expect(log.lines.count == 1, "\(log.lines)")
        #expect(log.lines.first?.contains("redis.connection=changes") == true)
        await store.close()
        peer.stop()
    }

    @Test func `does not say that a server answers again that ends each connection with the first command`()
        async throws
    {
        // Greets each connection, and ends it with the first command.
        let peer = try Self.peer { _, _ in "" }
        let log = RecordedLog()
        let store = try store(peer, log)
        await peer.waitForEnds(4)
        #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable)
        #expect(log.lines.contains { $0.contains("has no connection") })
        #expect(!log.lines.contains { $0.contains("answers again") })
        await store.close()
        peer.stop()
    }

    @Test func `fails at once where every connection is closed, and makes none for each command`() async throws {
        let peer = try ScriptedPeer { _ in }
        let store = try store(peer, timeout: .seconds(60))
        for _ in 0..<40 {
            #expect(await refusal { () throws(StoreError) in try await store.ping() } == .unavailable)
            #expect(
                await refusal { () throws(StoreError) in try await store.changes(of: .lease("n")) } == .unavailable)
        }
        #expect(peer.connectionCount < 30, "forty commands and subscriptions had no attempt of their own")
        await store.close()
        peer.stop()
    }

    @Test("closes where a connection ends before the last answer", .timeLimit(.minutes(1)))
    func closing() async throws {
        let isAsked = Locked(false)
        let peer = try ScriptedPeer { connection in
            var pending: [UInt8] = []
            while let words = Self.words(connection, &pending) {
                switch words.first {
                case "SELECT": connection.write("+OK\r\n")
                case "SCRIPT": connection.write(Self.digest)
                case "ECHO" where !isAsked.withLock { $0 }:
                    connection.write("$\(words[1].utf8.count)\r\n\(words[1])\r\n")
                case "PING": connection.write("+PONG\r\n")
                case "GETDEL": isAsked.withLock { $0 = true }
                default: break
                }
            }
        }
        let store = try store(peer, timeout: .seconds(3_600))
        async let first = refusal { () throws(StoreError) in try await store.take("k") }
        while !isAsked.withLock({ $0 }) { await Task.yield() }
        async let closed: Void = store.close()
        while await refusal({ () throws(StoreError) in try await store.changes(of: .lease("n")) }) == nil {}
        peer.stop()
        #expect(await first == .unavailable)
        await closed
    }

    @Test(
        "fails a subscription that the server does not confirm",
        arguments: ["", "-ERR no\r\n", "+OK\r\n", "*1\r\n:1\r\n"])
    func subscriptions(_ answer: String) async throws {
        let peer = try Self.peer { words, _ in words[0] == "SUBSCRIBE" ? answer : "+PONG\r\n" }
        let store = try store(peer)
        #expect(
            await refusal { () throws(StoreError) in try await store.changes(of: .lease("n")) } == .unavailable)
        await store.close()
        peer.stop()
    }
}
