internal import StorageKit

extension Settings {
    /// Which of the server's keys seals and which only open, in words; nil when there is one.
    public var keyRoles: String? {
        let ids = keys.ids
        guard ids.count > 1 else { return nil }
        return "\(ids[0]) seals, \(ids.dropFirst().joined(separator: ", ")) only \(ids.count > 2 ? "open" : "opens")"
    }

    /// The id of the key that seals from now on although the settings before did not have it; nil when there is none.
    ///
    /// Other processes with the same store may not have it either, and cannot open then what it seals.
    func suddenKey(after former: Settings) -> String? {
        keys.ids.first.flatMap { former.keys.ids.contains($0) ? nil : $0 }
    }
}
