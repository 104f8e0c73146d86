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
        let cause = await store.cause(settings.prefix)
        await store.close()
        await events.stop()
        return cause.map { "\(settings.address): \($0)" }
    }

    /// Why the store could not be used; nil if it can.
    private func cause(_ prefix: String) async -> String? {
        guard let reply = await answer(RedisRights.question(prefix), isRepeatable: true) else {
            return (report.failure ?? .silent).cause
        }
        guard let (rights, mayInfo) = RedisRights.missing(reply, prefix) else {
            return reply.errorKind.map { WireError.refused($0).cause } ?? WireError.malformed.cause
        }
        // rule: the trial of a store names missing rights
        if !rights.isEmpty { return WireError.forbidden(rights.joined(separator: " ")).cause }
        // A replica answers everything but a write. There is no key of this name.
        let write = RedisCommand("DEL", arguments: [keys.value("check-\(SecureRandom.token(16))")])
        guard let written = await answer(write, isRepeatable: true) else { return (report.failure ?? .silent).cause }
        // rule: the trial of a store writes
        if let kind = written.errorKind { return WireError.refused(kind).cause }
        return mayInfo ? await policyCause() : nil
    }

    /// Why the server may drop sessions; nil if it keeps them.
    private func policyCause() async -> String? {
        guard let bytes = await answer(RedisCommand("INFO", "memory"), isRepeatable: true)?.bytes else { return nil }
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
