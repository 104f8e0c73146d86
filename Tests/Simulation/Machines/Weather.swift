import StorageKit

/// When store and provider are away, for one machine or for all of them.
///
/// Sendable invariant: one thread, as of `World`.
final class Weather: @unchecked Sendable {
    /// What may be away.
    enum Place: String {
        case store
        /// The store has room for nothing more.
        case full
        case provider
    }

    private struct Outage {
        let place: Place
        /// nil for all.
        let machine: Int?
        let from: Duration
        let to: Duration
    }

    private let world: World
    private var outages: [Outage] = []
    /// A place of the queue of revocations that cannot be read, until it is mended.
    private var unreadable: SessionKey?
    /// The names of outages that the seed has, by which one can be left out.
    private(set) var names: [String] = []

    init(_ world: World, _ mix: Mix, without: Set<String>) {
        self.world = world
        var numbers = SeededNumbers(world.seed, "weather")
        if mix.hasUnreadablePlace { unreadable = Cluster.queue[numbers.below(Cluster.queue.count)] }
        for (place, count) in [
            (Place.store, mix.storeOutages), (.provider, mix.providerOutages), (.full, mix.wider.fullSpells),
        ] {
            for number in 0..<count {
                let name = "outage-\(place.rawValue)#\(number)"
                names.append(name)
                let from = Duration.seconds(numbers.below(600))
                let length = Duration.seconds(numbers.pick([1, 3, 10, 40, 120]))
                let machine = numbers.happens(0.3) ? numbers.below(mix.machines) : nil
                guard !without.contains(name) else { continue }
                outages.append(Outage(place: place, machine: machine, from: from, to: from + length))
            }
        }
    }

    /// Whether a part of the store cannot be read, as of a damaged disk, whatever becomes of the rest.
    func isUnreadable(_ session: SessionKey) -> Bool {
        guard session == unreadable else { return false }
        world.record.count(.fault, "a place of the queue cannot be read")
        return true
    }

    /// Has everything be readable.
    func mend() { unreadable = nil }

    func isAway(_ place: Place, _ machine: Int) -> Bool {
        !world.faults.areOver
            && outages.contains {
                $0.place == place && ($0.machine ?? machine) == machine && $0.from <= world.now && world.now < $0.to
            }
    }

    /// The store goes away for everybody from now on, for one to three seconds, as when it is restarted.
    func cutStore() {
        cutStore(for: Duration.seconds(1) + world.spans.span(upTo: .seconds(2)))
        world.record.count(.fault, "the store goes away right after a commit")
    }

    /// The store goes away for everybody from now on.
    func cutStore(for length: Duration) {
        outages.append(Outage(place: .store, machine: nil, from: world.now, to: world.now + length))
        world.note("    the store goes away for \(length)")
    }
}
