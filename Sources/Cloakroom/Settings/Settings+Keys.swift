internal import StorageKit

extension Settings {
    /// A text that says which server key seals and which keys only open; nil when there is a single key.
    public var keyRoles: String? {
        let ids = keys.ids
        guard ids.count > 1 else { return nil }
        return "\(ids[0]) seals, \(ids.dropFirst().joined(separator: ", ")) only \(ids.count > 2 ? "open" : "opens")"
    }

    /// The server keys for the present store, which a reload keeps.
    ///
    /// - Parameters:
    ///   - former: The settings before the reload.
    ///   - present: The settings of the present store.
    /// - Returns: The keys of the former settings where these have another store, because the keys belong to that one. A
    ///   store in memory keeps the former keys beside the new ones: no other process has what they sealed, and the first
    ///   one may have been made by this process.
    func keys(after former: Settings, in present: StoreSettings) -> ServerKeys {
        // rule: a store that stays keeps its keys
        guard store.place == present.place else { return former.keys }
        // rule: a store in memory keeps the keys of before
        if present == .memory { return keys.opening(former.keys) }
        return keys
    }

    /// The id of the key that seals from now on, if the former settings did not have it; nil otherwise.
    ///
    /// Other processes with the same store may not have the key yet, and then cannot open records that it seals.
    func suddenKey(after former: Settings) -> String? {
        keys.ids.first.flatMap { former.keys.ids.contains($0) ? nil : $0 }
    }
}
