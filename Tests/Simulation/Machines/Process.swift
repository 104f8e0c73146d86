import DaVinciClient

/// One life of a machine, from its start to its crash or its replacement.
///
/// Sendable invariant: one thread, as of `World`.
final class Process: @unchecked Sendable {
    /// The number of the machine.
    let machine: Int
    private(set) var isCrashed = false
    /// The requests that were under way when it crashed, or whose commits it was to ask the store about.
    private(set) var interrupted: Set<String> = []
    /// The pause that PingOne wants, and until when it has said so.
    let pause = ProviderPause()
    var pausedUntil = Duration.zero

    init(_ machine: Int) {
        self.machine = machine
    }

    func crash(during requests: some Sequence<String>) {
        isCrashed = true
        interrupted = Set(requests)
    }
}
