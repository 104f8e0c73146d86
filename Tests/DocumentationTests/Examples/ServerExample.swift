import Cloakroom
import Logging
import StorageKit

/// Runs a server with a store of one's own until SIGTERM.
func serve(_ store: any ByteStore) async throws {
    let source = SettingsSource(path: "/etc/cloakroom/cloakroom.yaml", environment: [:])
    try await Cloakroom.run(source.read().settings, store: store, logger: Logger(label: "cloakroom"))
}
