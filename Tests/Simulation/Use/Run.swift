import Basics

/// How a world is run: which one, with what left out, and whether somebody reads its trace.
struct Choice {
    var seed: UInt64
    var kind: Mix.Kind?
    var sizes = Sizes()
    /// What is left out: steps of scripts, faults, outages, crashes.
    var without: Set<String> = []
    var isRead = false
}

/// What came of a world.
struct Outcome {
    let choice: Choice
    let mix: Mix
    let record: Record
    let jobs: Int
    /// How long it was, by its own time.
    let length: Duration
    /// All that can be left out of it.
    let parts: [String]

    /// What two runs of one world have in common.
    var fingerprint: UInt64 { record.fingerprint ^ UInt64(jobs) }
}

extension Choice {
    /// Runs the world from its beginning to its end.
    func run() throws -> Outcome {
        let mix = Mix(seed, kind, sizes)
        let record = Record(isRead: isRead)
        let world = World(seed, record: record, without: without)
        let weather = Weather(world, mix, without: without)
        let cluster = try Cluster(world, mix, weather)
        let browsers = (0..<mix.browsers).map { Browser($0, world, mix, cluster) }
        cluster.browsers = browsers
        let scripts = Script.all(seed, mix)
        let events = Events(seed, mix, without: without)
        let without = without
        world.run {
            for machine in cluster.machines { cluster.runMaintenance(machine) }
            events.plan(cluster, world)
            let thieves = mix.hasThieves ? browsers.map(Thief.init) : []
            let gateway = mix.wider.hasGateways ? Gateway(cluster, browsers) : nil
            let operators = mix.hasRemoteEnds ? Operator(cluster, browsers, without: without) : nil
            let pages = mix.hasStreams ? browsers.map { EventPage($0, without: without) } : []
            let ending = operators.map { operators in Task.detached { await operators.run() } }
            let listening = pages.map { page in Task.detached { await page.run() } }
            let asking = gateway.map { gateway in Task.detached { await gateway.run() } }
            let thefts = thieves.map { thief in Task.detached { await thief.run() } }
            await withTaskGroup(of: Void.self) { group in
                for script in scripts {
                    let tab = Tab(browser: browsers[script.browser], account: script.account)
                    group.addTask { await tab.run(script, without: without) }
                }
            }
            gateway?.isAlone = true
            await asking?.value
            for thief in thieves { thief.isAlone = true }
            for theft in thefts { await theft.value }
            operators?.isAlone = true
            await ending?.value
            for page in pages { page.isAlone = true }
            for page in listening { await page.value }
            world.note("==== nothing goes wrong any more")
            world.faults.areOver = true
            if mix.wider.changesClients { for machine in cluster.machines { cluster.reload(machine.number) } }
            await world.pass(.seconds(100))
            for machine in cluster.machines { cluster.restart(machine.number) }
            await Ending(cluster, browsers).judge()
        }
        cluster.browsers = []
        let parts =
            scripts.flatMap { $0.steps.map(\.id) } + weather.names + events.names
            + (mix.hasRemoteEnds ? Operator.names : []) + world.faults.happened
        return Outcome(
            choice: self, mix: mix, record: record, jobs: world.jobs, length: world.now,
            parts: parts.filter { !without.contains($0) })
    }
}
