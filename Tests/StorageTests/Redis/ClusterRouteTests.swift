import Basics
import EventLoop
import StorageKit
import TestSupport
import Testing

@testable import StorageRedis

@Suite("Commands to a cluster", .timeLimit(.minutes(1)))
struct ClusterRouteTests {
    private let clock = ManualTime()
    private let key = SessionKey.unique()

    private func store(_ nodes: [FalseNode], _ log: RecordedLog = RecordedLog()) throws -> RedisStore {
        var settings = RedisSettings(address: .cluster(.init(nodes: nodes.map(\.host))))
        settings.commandTimeout = .seconds(5)
        return RedisStore(settings, on: try EventThread(name: "redis"), time: clock, logger: log.logger())
    }

    private var slot: Int { SlotMap.slot(of: KeyNames("cloakroom").session(key)) }

    private func read(_ store: RedisStore) async -> StoreError? {
        await refusal { () throws(StoreError) in try await store.read(key, .all) }
    }

    private func write(_ store: RedisStore) async -> StoreError? {
        await refusal { () throws(StoreError) in
            try await store.commit(key, .create(expires: clock.after(.seconds(60))))
        }
    }

    @Test func `go where a node says, and there at once the next time`() async throws {
        let (one, two) = (try FalseNode(), try FalseNode())
        one.answers { [slot] in $0[0] == "HGETALL" ? "-MOVED \(slot) 127.0.0.1:\(two.port)\r\n" : nil }
        one.name(one)
        let store = try store([one])
        #expect(await read(store) == nil)
        #expect(one.commands("HGETALL").count == 1 && two.commands("HGETALL").count == 1)
        one.name(two)
        #expect(await read(store) == nil)
        #expect(two.commands("HGETALL").count == 2)
        #expect(two.commands("ASKING").isEmpty)
        await store.close()
        for node in [one, two] { node.stop() }
    }

    @Test func `ask for the slots once in a while, however many find the cluster down`() async throws {
        let node = try FalseNode()
        node.answers { $0[0] == "HGETALL" ? "-CLUSTERDOWN The cluster is down\r\n" : nil }
        node.name(node)
        let store = try store([node])
        let begin = ContinuousClock.now
        for _ in 0..<100 { #expect(await read(store) == .unavailable) }
        // A search asks two questions.
        let most = 2 * (2 + Int((ContinuousClock.now - begin) / .milliseconds(500)))
        #expect(node.commands("CLUSTER").count <= most && node.commands("HGETALL").count == 100)
        await store.close()
        node.stop()
    }

    @Test func `follow no more than five redirections`() async throws {
        let (one, two) = (try FalseNode(), try FalseNode())
        one.answers { [slot] in $0[0] == "HGETALL" ? "-MOVED \(slot) 127.0.0.1:\(two.port)\r\n" : nil }
        two.answers { [slot] in $0[0] == "HGETALL" ? "-MOVED \(slot) 127.0.0.1:\(one.port)\r\n" : nil }
        let log = RecordedLog()
        let store = try store([one], log)
        #expect(await read(store) == .unavailable)
        #expect(one.commands("HGETALL").count + two.commands("HGETALL").count == 6)
        #expect(log.lines.contains { $0.contains("redis.error=MOVED") })
        await store.close()
        for node in [one, two] { node.stop() }
    }

    @Test(arguments: ["-MOVED 1\r\n", "-MOVED x 127.0.0.1:1\r\n", "-MOVED 16384 127.0.0.1:1\r\n", "-ASK 1 h:0\r\n"])
    func `go nowhere where a redirection is none or is of another slot`(_ answer: String) async throws {
        let node = try FalseNode()
        node.answers { $0[0] == "HGETALL" ? answer : nil }
        let store = try store([node])
        #expect(await read(store) == .unavailable)
        #expect(node.commands("HGETALL").count == 1)
        await store.close()
        node.stop()
    }

    @Test func `ask the node that is about to get a slot, once, with ASKING right before`() async throws {
        let (one, two) = (try FalseNode(), try FalseNode())
        one.answers { [slot] in $0[0] == "HGETALL" ? "-ASK \(slot) 127.0.0.1:\(two.port)\r\n" : nil }
        let store = try store([one])
        for count in 1...2 {
            #expect(await read(store) == nil)
            #expect(one.commands("HGETALL").count == count, "the slot is still there")
            let names = two.commands("ASKING", "HGETALL").map { $0[0] }
            #expect(names == (0..<count).flatMap { _ in ["ASKING", "HGETALL"] })
        }
        await store.close()
        for node in [one, two] { node.stop() }
    }

    @Test func `are not sent to another node if their answer was lost after a write`() async throws {
        let (one, two) = (try FalseNode(), try FalseNode())
        let seen = Locked(false)
        one.answers { words in
            guard words[0] == "EVALSHA" else { return nil }
            seen.withLock { $0 = true }
            one.name(two)
            return ""
        }
        two.name(one)
        let store = try store([one, two])
        #expect(await write(store) == .unavailable)
        #expect(seen.withLock { $0 })
        // The next write goes to the node that has the slots now.
        two.name(two)
        two.answers { $0[0] == "EVALSHA" ? "*2\r\n$4\r\ndone\r\n$1\r\n0\r\n" : nil }
        #expect(two.commands("EVALSHA").isEmpty)
        one.answers { [slot] in $0[0] == "EVALSHA" ? "-MOVED \(slot) 127.0.0.1:\(two.port)\r\n" : nil }
        while await write(store) != nil {}
        #expect(two.commands("EVALSHA").count == 1)
        await store.close()
        for node in [one, two] { node.stop() }
    }

    @Test func `are tried again until their keys have moved, and until their deadline`() async throws {
        let node = try FalseNode()
        let count = Locked(0)
        node.answers { words in
            guard words[0] == "EVALSHA" else { return nil }
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number < 4 ? "-TRYAGAIN later\r\n" : "*2\r\n$4\r\ndone\r\n$1\r\n0\r\n"
        }
        let store = try store([node])
        #expect(await write(store) == nil)
        #expect(node.commands("EVALSHA").count == 4)
        node.answers { $0[0] == "EVALSHA" ? "-TRYAGAIN later\r\n" : nil }
        #expect(await write(store) == .unavailable)
        await store.close()
        node.stop()
    }

    @Test func `fail at once while the cluster is down, and say so`() async throws {
        let node = try FalseNode()
        node.answers { $0[0] == "HGETALL" ? "-CLUSTERDOWN Hash slot not served\r\n" : nil }
        let log = RecordedLog()
        let store = try store([node], log)
        #expect(await read(store) == .unavailable)
        #expect(node.commands("HGETALL").count == 1)
        #expect(log.lines.contains { $0.contains("redis.error=CLUSTERDOWN") })
        node.answers { _ in nil }
        #expect(await read(store) == nil)
        await store.close()
        node.stop()
    }

    @Test func `never go to another machine without TLS, whatever a node names`() async throws {
        let node = try FalseNode()
        node.answers { [slot] in $0[0] == "HGETALL" ? "-MOVED \(slot) 192.0.2.1:6379\r\n" : nil }
        let log = RecordedLog()
        let store = try store([node], log)
        #expect(await read(store) == .unavailable)
        while !log.lines.contains(where: { $0.contains("has no TLS") }) { _ = await read(store) }
        await store.close()
        node.stop()
    }

    @Test func `fail at once while no node tells its slots, and work once one does`() async throws {
        let node = try FalseNode()
        node.answers { $0[0] == "CLUSTER" ? "-LOADING wait\r\n" : nil }
        let log = RecordedLog()
        let store = try store([node], log)
        for _ in 0..<3 { #expect(await read(store) == .unavailable) }
        #expect(log.lines.count { $0.contains("no node told the slots") } == 1, "\(log.lines)")
        node.answers { _ in nil }
        while await read(store) != nil {}
        #expect(log.lines.count { $0.contains("answers again") } == 1, "\(log.lines)")
        await store.close()
        node.stop()
    }
}

@Suite("The slots of a cluster")
struct SlotMapTests {
    private let asked = Endpoint.tcp(host: "asked", port: 1)

    @Test(arguments: [
        ("123456789", 12_739), ("", 0), ("{}", 15_257), ("foo", 12_182), ("bar", 5_061), ("a{foo}b", 12_182),
        ("{foo}{bar}", 12_182), ("foo{}{bar}", 8_363),
    ])
    func `are those of the specification`(_ key: String, _ slot: Int) {
        #expect(SlotMap.slot(of: Array(key.utf8)) == slot)
    }

    @Test func `are one for all keys of a script`() {
        let names = KeyNames("p")
        let session = SessionKey.unique()
        let groups: [[[UInt8]]] = [
            [names.session(session), names.channel(.session(session))], names.index([1, 2]),
            [names.lease("a"), names.lease("b"), names.fence, names.channel(.lease("c"))],
        ]
        for keys in groups { #expect(Set(keys.map { SlotMap.slot(of: $0) }).count == 1) }
    }

    private func range(_ first: Int64, _ last: Int64, _ host: RedisReply, _ port: Int64) -> RedisReply {
        .array([.integer(first), .integer(last), .array([host, .integer(port), .string([0x61])])])
    }

    @Test func `belong to the nodes of an answer`() throws {
        let host = RedisReply.string(Array("h".utf8))
        let reply = RedisReply.array([
            range(0, 9, host, 7), range(11, 16_383, .null, 8), range(10, 10, .string(Array("?".utf8)), 8),
        ])
        let map = try #require(SlotMap(reply, from: asked))
        #expect(map.nodes == [.tcp(host: "h", port: 7), .tcp(host: "asked", port: 8)])
        #expect(map.node(of: 9) == .tcp(host: "h", port: 7))
        #expect(map.node(of: 10) == .tcp(host: "asked", port: 8) && map.node(of: 16_383) == map.node(of: 10))
        #expect(SlotMap(.array([range(1, 2, host, 7)]), from: asked)?.node(of: 0) == nil)
        for wrong in [
            RedisReply.null, .array([.null]), .array([range(-1, 2, host, 7)]), .array([range(2, 1, host, 7)]),
            .array([range(0, 16_384, host, 7)]), .array([range(0, 1, host, 0)]), .array([range(0, 1, host, 65_536)]),
            .array([range(0, 1, .string(Array("a b".utf8)), 7)]),
            .array((0..<257).map { range($0, $0, host, $0 + 1) }),
        ] {
            #expect(SlotMap(wrong, from: asked) == nil)
        }
    }

    @Test func `move with a redirection`() throws {
        #expect(Redirect("MOVED 5 h:7", from: asked)?.endpoint == .tcp(host: "h", port: 7))
        #expect(Redirect("ASK 5 ::1:7", from: asked)?.endpoint == .tcp(host: "::1", port: 7))
        #expect(Redirect("MOVED 5 :7", from: asked)?.endpoint == .tcp(host: "asked", port: 7))
        let others = [
            "MOVED", "MOVED 5", "MOVED 5 h", "MOVED 5 h:", "MOVED -5 h:7", "MOVED 16384 h:7", "MOVED 5 h:7 x",
        ]
        for wrong in others {
            #expect(Redirect(wrong, from: asked) == nil, "\(wrong)")
        }
    }

    @Test func `are those of the newest view of a node in touch with most others`() throws {
        func view(_ port: UInt16, _ isSound: Bool, _ epoch: UInt64) throws -> ClusterView {
            let host = RedisReply.string(Array("h".utf8))
            let map = try #require(SlotMap(.array([range(0, 1, host, Int64(port))]), from: asked))
            return ClusterView(map: map, isSound: isSound, epoch: epoch)
        }
        let (old, new, cut) = (try view(1, true, 1), try view(2, true, 2), try view(3, false, 3))
        for order in [[old, new, cut], [cut, new, old], [new, cut, old]] {
            var vote = ClusterVote(voters: 4)
            for view in order.prefix(2) { vote.add(.success(view)) }
            #expect(vote.decision == nil)
            vote.add(.success(order[2]))
            #expect(vote.decision == .success(new))
        }
        var vote = ClusterVote(voters: 2)
        vote.add(.failure(.silent))
        #expect(vote.decision == nil)
        vote.add(.failure(.noCluster))
        #expect(vote.decision == .failure(.cluster(.noCluster)))
    }
}
