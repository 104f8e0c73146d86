import StorageKit

/// What happens to machines at instants that are decided before the world begins: crashes, other keys, other settings.
struct Events: Sendable {
    /// One of them.
    private enum Happening: Sendable {
        case crash(machine: Int, back: Duration)
        case reload(machine: Int)
        case changeKeys(machine: Int, KeyStep)
        case changeClients(machine: Int, Definition.ClientSet)
        case drain(machine: Int)
        case jump(machine: Int, Duration)
        case failOver(forgotten: Duration, away: Duration)
        case providerEnds(user: String, withGrants: Bool)
    }

    /// The keys of a machine on the way from the old one to the new one.
    enum KeyStep: Sendable {
        /// It knows the new one.
        case known
        /// It seals with the new one.
        case sealing
    }

    private var happenings: [(name: String, at: Duration, what: Happening)] = []

    /// The names by which one can be left out.
    var names: [String] { happenings.map(\.name) }

    init(_ seed: UInt64, _ mix: Mix, without: Set<String>) {
        var numbers = SeededNumbers(seed, "events")
        for number in 0..<mix.crashes {
            let at = numbers.span(upTo: numbers.happens(0.5) ? .seconds(60) : .seconds(900))
            let machine = numbers.below(mix.machines)
            happenings.append(
                ("crash#\(number)", at, .crash(machine: machine, back: .seconds(numbers.below(60)))))
        }
        for number in 0..<mix.reloads {
            let at = numbers.span(upTo: .seconds(600))
            happenings.append(("reload#\(number)", at, .reload(machine: numbers.below(mix.machines))))
        }
        if mix.keyChanges { addKeyChanges(mix, &numbers) }
        addWider(seed, mix)
        if mix.failsOver { addFailOver(seed) }
        happenings.removeAll { without.contains($0.name) }
    }

    /// Each machine gets to know the new key, and then seals with it; by an operator in a hurry at once, one after the other.
    private mutating func addKeyChanges(_ mix: Mix, _ numbers: inout SeededNumbers) {
        let isHurried = numbers.happens(0.3)
        var at = numbers.span(upTo: .seconds(30))
        for step in isHurried ? [KeyStep.sealing] : [.known, .sealing] {
            for machine in 0..<mix.machines {
                happenings.append(("keys-\(step)#\(machine)", at, .changeKeys(machine: machine, step)))
                at += numbers.span(upTo: .seconds(60))
            }
        }
    }

    /// What happens in wider worlds.
    private mutating func addWider(_ seed: UInt64, _ mix: Mix) {
        var numbers = SeededNumbers(seed, "wider events")
        func instant(_ numbers: inout SeededNumbers) -> Duration {
            numbers.span(upTo: numbers.happens(0.5) ? .seconds(60) : .seconds(900))
        }
        for number in 0..<(mix.wider.changesClients ? 2 + numbers.below(3) : 0) {
            let set = numbers.pick(Definition.ClientSet.allCases)
            let at = instant(&numbers)
            happenings.append(
                ("reload#\(100 + number)", at, .changeClients(machine: numbers.below(mix.machines), set)))
        }
        for number in 0..<mix.wider.drains {
            happenings.append(
                ("drain#\(number)", instant(&numbers), .drain(machine: numbers.below(mix.machines))))
        }
        for number in 0..<mix.wider.clockJumps {
            let skew = numbers.span(upTo: mix.skew) - mix.skew / 2
            happenings.append(
                ("jump#\(number)", instant(&numbers), .jump(machine: numbers.below(mix.machines), skew)))
        }
        for number in 0..<mix.wider.providerEnds {
            let user = numbers.pick(Definition.users(numbers.below(mix.browsers), mix))
            happenings.append(
                (
                    "provider-ends#\(number)", instant(&numbers),
                    .providerEnds(user: user, withGrants: numbers.happens(0.5))
                ))
        }
    }

    /// The store fails over, most often while users are busy.
    private mutating func addFailOver(_ seed: UInt64) {
        var numbers = SeededNumbers(seed, "fail-over events")
        let at = numbers.span(upTo: numbers.happens(0.6) ? .seconds(40) : .seconds(600))
        let forgotten = numbers.span(upTo: .seconds(1))
        let away = Duration.milliseconds(200) + numbers.span(upTo: .seconds(4))
        happenings.append(("fail-over#0", at, .failOver(forgotten: forgotten, away: away)))
    }

    /// Has them happen.
    func plan(_ cluster: Cluster, _ world: World) {
        for (_, at, what) in happenings {
            world.after(at) {
                guard !world.faults.areOver else { return }
                happen(what, cluster, world)
            }
        }
    }

    private func happen(_ what: Happening, _ cluster: Cluster, _ world: World) {
        switch what {
        case .failOver(let forgotten, let away): cluster.failOver(forgetting: forgotten, away: away)
        case .crash(let machine, let back):
            cluster.crash(machine)
            world.after(back) { cluster.restart(machine) }
        case .reload(let machine): cluster.reload(machine)
        case .changeClients(let machine, let set): cluster.reload(machine, set)
        case .drain(let machine): cluster.drain(machine)
        case .jump(let machine, let skew): cluster.jump(machine, to: skew)
        case .providerEnds(let user, let withGrants): cluster.endAtProvider(user, withGrants: withGrants)
        case .changeKeys(let machine, let step):
            let keys = cluster.definition.keys
            cluster.changeKeys(machine, to: step == .known ? keys.both : keys.changed)
        }
    }
}
