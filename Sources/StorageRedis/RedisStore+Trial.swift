internal import Basics
internal import EventLoop
package import Logs

extension RedisStore {
    /// Checks that a server could use the store: address, sign-in, database and scripts; writes no key.
    ///
    /// - Parameters:
    ///   - settings: Where the Redis server is.
    ///   - logger: Receives failures of the Redis server, without any data.
    /// - Returns: Why a server could not use it, as a sentence without a full stop; nil if it can.
    package static func trial(_ settings: RedisSettings, logger: Logger) async -> String? {
        guard let events = try? EventThread(name: "check-redis") else { return "the system has no thread left" }
        let store = RedisStore(settings, on: events, time: SystemTime(), logger: logger)
        let works = (try? await store.ping()) != nil
        let failure = store.report.failure
        await store.close()
        await events.stop()
        if works { return nil }
        return "\(settings.address): \(failure?.cause ?? "the server did not answer in time; check its load")"
    }
}
