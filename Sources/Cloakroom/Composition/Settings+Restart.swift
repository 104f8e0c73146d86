internal import BFF
internal import HTTPServer
internal import StorageKit

extension Settings {
    /// The keys and sections that differ in new settings and take effect only after a restart.
    ///
    /// - Parameters:
    ///   - fresh: The new settings of the file.
    ///   - ownsStore: True if the server uses the store of its settings.
    ///   - followsLevel: True if the level of the log can be changed.
    /// - Returns: `server.listen`, `server.admin`, `server.threads`, `server.limits`, `routes[].limits.body` where a
    ///   body is longer than the listener accepts, `clients.*.timeout` where a DaVinci flow may take longer than the
    ///   listener allows, `session.store`, `session.keys` where the store is another one, `session.redis` where only
    ///   user, password or prefix differ, `session.anonymousSessions`, `outbound`, `log.level` where the logger has no
    ///   threshold, `log.format`, in this order.
    func changesForRestart(in fresh: Settings, ownsStore: Bool, followsLevel: Bool) -> [String] {
        let checks = [
            ("server.listen", listener.place == fresh.listener.place),
            ("server.admin", admin?.place == fresh.admin?.place),
            ("server.threads", listener.threads == fresh.listener.threads),
            ("server.limits", listener.limits.apart == fresh.listener.limits.apart && sameAdminLimits(fresh)),
            ("routes[].limits.body", fresh.listener.limits.body <= listener.limits.body),
            ("clients.*.timeout", fresh.longestRequestTime ?? .zero <= longestRequestTime ?? .zero),
            ("session.store", !ownsStore || store.place == fresh.store.place),
            ("session.keys", !ownsStore || store.place == fresh.store.place || keys.ids == fresh.keys.ids),
            ("session.redis", !ownsStore || store.place != fresh.store.place || store == fresh.store),
            ("session.anonymousSessions", sessions.anonymousSessions == fresh.sessions.anonymousSessions),
            ("outbound", outbound == fresh.outbound),
            ("log.level", followsLevel || log.level == fresh.log.level),
            ("log.format", log.format == fresh.log.format),
        ]
        return checks.filter { !$0.1 }.map(\.0)
    }

    /// True if the admin limits are unchanged; an admin listener that is added or removed changes none.
    private func sameAdminLimits(_ fresh: Settings) -> Bool {
        guard let admin, let other = fresh.admin else { return true }
        return admin.limits == other.limits
    }
}

extension ListenerSettings.Limits {
    /// The limits that are settings of the listener alone: all but `body`, which follows from the API and the routes.
    fileprivate var apart: Self {
        var limits = self
        limits.body = 0
        return limits
    }
}

extension ListenerSettings {
    fileprivate var place: String { "\(address) \(port)" }
}
