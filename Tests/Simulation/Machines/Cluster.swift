import BFF
import BFFAPI
import Basics
import HTTPCore
import IdentitySimulator
import JourneyProduct
import Logs
import ResourceServer
import StorageKit

/// What all machines of a world have around them.
struct Surroundings {
    let world: World
    let mix: Mix
    let weather: Weather
    let provider: InProcessSimulator
    let ledger: Ledger
    let shared: SharedStore
    let api: WorldAPI
}

/// The machines of a world, with the store that they share and the provider that they ask.
///
/// Sendable invariant: one thread, as of `World`.
final class Cluster: @unchecked Sendable {
    let surroundings: Surroundings
    let definition: Definition
    private(set) var machines: [Machine] = []
    private let world: World
    private let mix: Mix
    /// The clocks of the machines.
    let clocks: [MachineClock]
    /// Which clients each machine has.
    private var clientSets: [Definition.ClientSet]
    private var keys: [ServerKeys]
    let logs: WorldLogs
    /// The browsers that ask them.
    var browsers: [Browser] = []
    /// What rates let through, where they are low.
    let rates: RateWatch?
    /// The users of PingOne, by the subjects of their tokens.
    let subjects: [String: String]

    init(_ world: World, _ mix: Mix, _ weather: Weather) throws {
        self.world = world
        self.mix = mix
        definition = try Definition(mix)
        rates = mix.wider.limitsRates ? RateWatch() : nil
        let users = mix.hasDaVinci ? (0..<mix.browsers).flatMap { Definition.users($0, mix) } : []
        subjects = Dictionary(users.map { (InProcessSimulator.pingOneSubject(of: $0), $0) }) { first, _ in first }
        let time = MachineTime(world: world, clock: MachineClock(.zero))
        let shared = try SharedStore(mix, time)
        let provider = try InProcessSimulator(Definition.provider(mix), time: time)
        let ledger = Ledger(world, mix, provider, shared.journal)
        logs = WorldLogs(world, ledger)
        surroundings = Surroundings(
            world: world, mix: mix, weather: weather, provider: provider, ledger: ledger, shared: shared,
            api: WorldAPI(world, mix, provider, ledger, elevatedLimit: Definition.elevatedLimit))
        var numbers = SeededNumbers(world.seed, "machines")
        clocks = (0..<mix.machines).map { _ in MachineClock(numbers.span(upTo: mix.skew) - mix.skew / 2) }
        clientSets = Array(repeating: .all, count: mix.machines)
        keys = Array(repeating: definition.keys.first, count: mix.machines)
        for number in 0..<mix.machines { machines.append(try started(number)) }
    }

    var ledger: Ledger { surroundings.ledger }
    var provider: InProcessSimulator { surroundings.provider }
    var store: any SharedByteStore { surroundings.shared.store }
    var journal: StoreJournal { surroundings.shared.journal }

    /// The machines that answer.
    var answering: [Machine] { machines.filter { !$0.isCrashed && !$0.isDraining } }

    // MARK: Machines

    private func started(_ number: Int) throws -> Machine {
        let machine = Machine(Process(number), world, storeIsSlow: mix.storeSlow > 0)
        try equip(machine, after: nil)
        return machine
    }

    /// Gives a machine what it runs, as the composition of the server would.
    private func equip(_ machine: Machine, after former: Machine?) throws {
        let time = MachineTime(world: world, clock: clocks[machine.number])
        let logger = Logger(
            label: "m\(machine.number)", level: world.record.isRead ? .info : .warning,
            to: WorldLog(logs: logs, machine: machine.number))
        let network = Network(ProviderLink(surroundings, machine.process), surroundings.api)
        let backend = Backend(
            settings: former == nil ? definition.sessions : definition.changedSessions,
            clients: try definition.clients(network, machine.process, time, logger, clientSets[machine.number]),
            requirements: [Definition.high] + (mix.hasDaVinci ? [Definition.strong] : []),
            store: try store(machine.process), keys: keys[machine.number], time: time,
            renderer: UserDocument(), logger: logger, audits: false, after: former?.backend)
        let authz = try authz(network, time, logger, after: former?.authz)
        let api = try BrowserAPI(
            definition.api, backend: backend, routes: definition.routes, transport: network, authz: authz,
            time: time, logger: logger, redirect: { ReceivedChallenge(location: $0) },
            startMembers: JourneyStart.members, after: former?.api)
        machine.run(backend, api, authz, admin: mix.hasRemoteEnds ? admin(backend, authz, logger) : nil)
    }

    /// The store as a machine has it; some have no index.
    private func store(_ process: Process) throws -> WorldStore {
        mix.hasRemoteEnds ? try IndexedStore(surroundings, process) : try WorldStore(surroundings, process)
    }

    private func admin(_ backend: Backend, _ authz: AuthzAPI?, _ logger: Logger) -> AdminAPI {
        AdminAPI(backend: backend, authz: authz, token: Secret(Definition.operatorToken), logger: logger)
    }

    /// Ends a machine without a word.
    func crash(_ number: Int) {
        guard !machines[number].isCrashed else { return }
        world.note("m\(number) FAULT: crashes")
        world.record.count(.fault, "a machine crashes")
        machines[number].crash()
    }

    /// Starts a machine that has crashed.
    func restart(_ number: Int) {
        guard machines[number].isCrashed else { return }
        world.note("m\(number) starts")
        replace(number)
    }

    /// Starts a process in the place of another one, which answers what it has begun to work on.
    private func replace(_ number: Int) {
        do {
            machines[number] = try started(number)
            runMaintenance(machines[number])
        } catch {
            world.fail(.oddAnswer, "a machine does not start: \(error)")
        }
    }

    /// Has a machine read its settings again.
    func reload(_ number: Int, _ clients: Definition.ClientSet = .all) {
        if clientSets[number] != clients { world.record.count(.fault, "a machine has other clients from now on") }
        clientSets[number] = clients
        let machine = machines[number]
        guard !machine.isCrashed else { return }
        world.note("m\(number) FAULT: reads its settings again")
        world.record.count(.fault, "a machine reads its settings again")
        do { try equip(machine, after: machine) } catch { world.fail(.oddAnswer, "a reload fails: \(error)") }
    }

    /// Gives a machine other keys, which takes a new process.
    func changeKeys(_ number: Int, to keys: ServerKeys) {
        self.keys[number] = keys
        guard !machines[number].isCrashed else { return }
        world.note("m\(number) FAULT: starts anew with the keys \(keys.ids)")
        world.record.count(.fault, "a machine gets another key")
        replace(number)
    }

    // MARK: Maintenance

    /// What the server does every 30 seconds.
    func runMaintenance(_ machine: Machine) {
        Task.detached { [self] in
            while !machine.isCrashed, machine === machines[machine.number] {
                await world.pass(.seconds(30))
                guard !world.isEnding, !isDeserted else { return }
                // To read all its empty parts in each round would be most of the work.
                guard await waitingRevocations() > 0 else {
                    await machine.backend?.settled()
                    continue
                }
                await machine.backend?.retryRevocations(until: .now + .seconds(25))
            }
        }
    }

    /// The world has no more users, and nothing is left to be done.
    var isDeserted = false

    /// Where what has to be ended at the provider waits.
    static let queue = (0..<32).map { SessionKey(tag: Array("cloakroom revocations \($0)".utf8)) }

    /// What waits to be ended at the provider, where that can be read.
    func waitingRevocations() async -> Int {
        var count = 0
        for key in Self.queue where !surroundings.weather.isUnreadable(key) {
            count += (try? await store.read(key, .all))?.entries.count ?? 0
        }
        return count
    }
}
