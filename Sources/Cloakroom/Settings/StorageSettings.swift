package import StorageKit

/// The settings of one storage that clients name in `sessionStorage` or `tokenStorage`; `storages.*`.
package struct StorageSettings: Sendable, Equatable {
    /// The encryptors that a storage may ask for.
    package enum Encryptor: String, Sendable, CaseIterable {
        /// The session's own key, which only the cookie opens; then the program's encryptor, if it brings one.
        case sealing
        /// The session's own key, and then the program's encryptor, without which the server does not start.
        case program
    }

    /// The name of the storage.
    package var name: String
    /// The rule by which copies answer reads; nil if only the store does; `cacheStrategy` and `maxAge`.
    package var strategy: StorageStrategy?
    /// The encryptor of the records; `encryptor`, default `sealing`.
    package var encryptor: Encryptor
    /// True if copies may answer although another process may have written; `insecureStaleReads`, default false.
    package var allowsStaleReads: Bool

    /// Makes the settings of a storage.
    package init(
        name: String, strategy: StorageStrategy? = nil, encryptor: Encryptor = .sealing, allowsStaleReads: Bool = false
    ) {
        self.name = name
        self.strategy = strategy
        self.encryptor = encryptor
        self.allowsStaleReads = allowsStaleReads
    }
}

extension Settings {
    /// The rules of the storages by name, for a store that other processes may share and that may fail.
    ///
    /// - Parameter extensions: The extensions of the program.
    /// - Returns: No rules for the store in memory, which answers at once and does not fail.
    /// - Throws: `.setting` naming a storage that the program's store or encryptor does not fit.
    func strategies(_ extensions: ServerExtensions) throws(ServerError) -> [String: StorageStrategy] {
        var strategies: [String: StorageStrategy] = [:]
        for storage in storages {
            guard storage.encryptor != .program || extensions.encryptor != nil else {
                throw .setting(
                    key: "storages.\(storage.name).encryptor",
                    expected: "expected sealing: this program brings no encryptor")
            }
            let isShared = extensions.store != nil || store != .memory
            guard isShared, let strategy = storage.strategy else { continue }
            // The reader of the file refuses this too, but does not know a program's own store.
            guard strategy.strategy != .cache || storage.allowsStaleReads else {
                throw .setting(
                    key: "storages.\(storage.name).cacheStrategy",
                    expected: StorageSettings.staleness + "; insecureStaleReads: true allows it")
            }
            strategies[storage.name] = strategy
        }
        return strategies
    }
}

extension StorageSettings {
    /// The reason why `cache` is refused for a store that processes share.
    static let staleness =
        "a copy answers for maxAge although another process may have ended the session; expected cacheOnFailure"
}
