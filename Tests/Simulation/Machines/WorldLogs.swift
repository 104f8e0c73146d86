import Logs

/// What the logs of all machines say: alarms, and what a rule has to know.
///
/// Sendable invariant: one thread, as of `World`.
final class WorldLogs: @unchecked Sendable {
    private let world: World
    private let ledger: Ledger
    /// Revocations that neither the store nor the provider took.
    private(set) var lostRevocations = 0

    init(_ world: World, _ ledger: Ledger) {
        self.world = world
        self.ledger = ledger
    }

    fileprivate func logged(_ event: LogEvent, _ machine: Int) {
        let text = event.message.description
        world.record.count(.check, "a line of a log")
        if text.hasPrefix("Revocations could not be written down") { lostRevocations += 1 }
        if text.hasPrefix("A session is sealed under a server key") { ledger.lacksKey(machine) }
        if text.contains("does not open") { world.fail(.alarm, "m\(machine): \(text)") }
        for word in Words.of(([text] + event.metadata.map { "\($0.value)" }).joined(separator: " ").utf8) {
            if ledger.isSecret(word) { world.fail(.secret, "m\(machine) logs \(word.prefix(12))…: \(text)") }
        }
        world.note(
            "    m\(machine) log \(event.level): \(text) "
                + event.metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " "))
    }
}

/// Where one machine logs.
struct WorldLog: LogDestination {
    let logs: WorldLogs
    let machine: Int

    func write(_ event: LogEvent) { logs.logged(event, machine) }
}
