internal import StorageKit

extension Settings {
    /// A text that says which server key seals and which keys only open; nil when there is a single key.
    public var keyRoles: String? {
        let ids = keys.ids
        guard ids.count > 1 else { return nil }
        return "\(ids[0]) seals, \(ids.dropFirst().joined(separator: ", ")) only \(ids.count > 2 ? "open" : "opens")"
    }

    /// The id of the key that seals from now on, if the former settings did not have it; nil otherwise.
    ///
    /// Other processes with the same store may not have the key yet, and then cannot open records that it seals.
    func suddenKey(after former: Settings) -> String? {
        keys.ids.first.flatMap { former.keys.ids.contains($0) ? nil : $0 }
    }
}
