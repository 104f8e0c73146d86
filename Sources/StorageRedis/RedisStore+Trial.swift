internal import Basics
internal import Cryptography
internal import EventLoop
package import Logs

extension RedisStore {
    /// Checks that a server could use the store: address, sign-in, database, scripts, rights and writes; writes no key.
    ///
    /// - Parameters:
    ///   - settings: Where the Redis server is.
    ///   - logger: Receives failures of the Redis server, without any data.
    /// - Returns: Why a server could not use it, as a sentence without a full stop; nil if it can.
    package static func trial(_ settings: RedisSettings, logger: Logger) async -> String? {
        guard let events = try? EventThread(name: "check-redis") else { return "the system has no thread left" }
        let store = RedisStore(settings, on: events, time: SystemTime(), logger: logger)
        let cause = await store.cause()
        await store.close()
        await events.stop()
        return cause.map { "\(settings.address): \($0)" }
    }

    /// Why the store could not be used; nil if it can.
    private func cause() async -> String? {
        let unused = keys.value("check-\(SecureRandom.token(16))")
        guard case .cluster = settings.address else { return await cause(slot: nil, unused) }
        let slots = await answer(RedisCommand("CLUSTER", "SLOTS"), isRepeatable: true)
        guard let slots else { return (report.failure ?? .silent).cause }
        guard let map = SlotMap(slots, from: .tcp(host: "localhost", port: 0)) else {
            return slots.errorKind.map { WireError.refused($0).cause } ?? WireError.malformed.cause
        }
        if (0..<SlotMap.slots).contains(where: { map.node(of: $0) == nil }) {
            return WireError.refused("CLUSTERDOWN").cause
        }
        // Each node has rights and memory of its own.
        for node in map.nodes {
            guard let key = key(at: node, map) else { continue }
            if let cause = await cause(slot: SlotMap.slot(of: key), key) { return cause }
        }
        return nil
    }

    /// An unused key in a slot of a node; nil in the unlikely case that none was found.
    private func key(at node: Endpoint, _ map: SlotMap) -> [UInt8]? {
        let token = SecureRandom.token(16)
        return (0..<1 << 20).lazy.map { [keys] in keys.value("check-\(token)-\($0)") }.first {
            map.node(of: SlotMap.slot(of: $0)) == node
        }
    }

    /// Why a server could not be used.
    ///
    /// - Parameters:
    ///   - slot: A slot of the node of a cluster; nil without a cluster.
    ///   - unused: A key that is not there, in this slot.
    /// - Returns: The cause; nil if it can be used.
    private func cause(slot: Int?, _ unused: [UInt8]) async -> String? {
        let prefix = settings.prefix
        let question = RedisRights.question(prefix, isCluster: slot != nil)
        guard let reply = await answer(question, isRepeatable: true, slot: slot) else {
            return (report.failure ?? .silent).cause
        }
        guard let (rights, mayInfo) = RedisRights.missing(reply, prefix) else {
            return reply.errorKind.map { WireError.refused($0).cause } ?? WireError.malformed.cause
        }
        // rule: the trial of a store names missing rights
        if !rights.isEmpty { return WireError.forbidden(rights.joined(separator: " ")).cause }
        // A replica answers everything but a write. There is no key of this name.
        let write = RedisCommand("DEL", arguments: [unused])
        guard let written = await answer(write, isRepeatable: true) else { return (report.failure ?? .silent).cause }
        // rule: the trial of a store writes
        if let kind = written.errorKind { return WireError.refused(kind).cause }
        return mayInfo ? await policyCause(slot) : nil
    }

    /// Why the server may drop sessions; nil if it keeps them.
    private func policyCause(_ slot: Int?) async -> String? {
        let reply = await answer(RedisCommand("INFO", "memory"), isRepeatable: true, slot: slot)
        guard let bytes = reply?.bytes else { return nil }
        let name = "maxmemory_policy:"
        let line = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).first {
            $0.hasPrefix(name)
        }
        guard let policy = line?.dropFirst(name.count) else { return nil }
        // rule: the trial of a store names a policy that drops sessions
        guard policy != "noeviction" else { return nil }
        return "with the server's maxmemory-policy it drops sessions when its memory is full; set noeviction"
    }
}
