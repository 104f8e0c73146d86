import Cloakroom
import Logs
import StorageKit

/// Runs a server with a store of one's own until SIGTERM.
func serve(_ store: any ByteStore) async throws {
    let source = SettingsSource(path: "/etc/cloakroom/cloakroom.yaml", environment: [:])
    let settings = try source.read().settings
    try await Cloakroom.run(settings, store: store, logger: settings.log.logger("cloakroom"))
}
