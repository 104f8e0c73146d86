internal import Basics
internal import ProductKit
internal import SettingsKit
internal import StorageKit

extension SettingsReader {
    /// Reads the section `storages`.
    ///
    /// - Parameters:
    ///   - top: The whole file.
    ///   - store: The store of the sessions.
    /// - Returns: The storages in the order of the file.
    func readStorages(_ top: Section, _ store: StoreSettings) -> [StorageSettings] {
        top.named("storages").map { readStorage($0, $1, store) }
    }

    private func readStorage(_ name: String, _ section: Section, _ store: StoreSettings) -> StorageSettings {
        var storage = StorageSettings(name: name)
        let strategy = section.value("cacheStrategy", .anyCase) ?? CacheStrategy.noCache
        let maxAge = section.value("maxAge", .duration(StorageStrategy.ageRange))
        section.read("encryptor", .anyCase, into: &storage.encryptor)
        section.read("insecureStaleReads", .flag, into: &storage.allowsStaleReads)
        section.finish()
        if strategy == .noCache, section.contains("maxAge"), !context.isReported(section.key("cacheStrategy")) {
            context.report(
                section.key("maxAge"), "is for cacheStrategy cacheOnFailure or cache; nothing is cached here")
        }
        if strategy != .cache, storage.allowsStaleReads, !context.isReported(section.key("cacheStrategy")) {
            context.report(
                section.key("insecureStaleReads"), "is for cacheStrategy cache; expected false or no such key")
        }
        // rule: a store that processes share is not read from copies unless the settings say so
        if strategy == .cache, store != .memory {
            context.refuse(
                section.key("cacheStrategy"), StorageSettings.staleness, unless: storage.allowsStaleReads,
                section.key("insecureStaleReads"))
        }
        if strategy != .noCache { storage.strategy = StorageStrategy(strategy, maxAge: maxAge) }
        return storage
    }

    /// Reports storages that no client uses, and copies of storages that hold no tokens.
    func check(_ storages: [StorageSettings], against clients: [ClientSettings]) {
        let tokens = Set(clients.compactMap(\.tokenStorage))
        let used = tokens.union(clients.compactMap(\.sessionStorage))
        for storage in storages {
            let key = "storages.\(storage.name)"
            guard used.contains(storage.name) else {
                context.report(key, "no client uses this storage")
                continue
            }
            // Provider sessions are read only to be changed, so that no copy of them would ever answer.
            if storage.strategy != nil, !tokens.contains(storage.name) {
                context.report(
                    key + ".cacheStrategy", "expected noCache: no client names this storage in tokenStorage")
            }
        }
    }
}
