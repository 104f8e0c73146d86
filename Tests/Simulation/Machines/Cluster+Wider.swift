import BFF
import BFFAPI
import Basics
import Discovery
import HTTPCore
import IdentitySimulator
import JOSE
import Logs
import ResourceServer

/// What happens to machines in the wider worlds, and what they have there.
extension Cluster {
    /// How long a machine may go on with its requests that was told to stop; polls that are held are answered at once.
    static let grace = Duration.seconds(12)

    /// Tells a machine to stop: it takes no more requests, answers those that it has, and ends.
    func drain(_ number: Int) {
        let machine = machines[number]
        guard !machine.isCrashed, !machine.isDraining, answering.count > 1 else { return }
        let world = surroundings.world
        world.note("m\(number) FAULT: is told to stop")
        world.record.count(.fault, "a machine is told to stop")
        let began = world.now
        machine.drainedAt = began
        machine.backend?.polls.drain()
        machine.backend?.eventStreams.drain()
        Task.detached { [self] in
            while machine.hasWork, world.now - began < Self.grace, !world.isEnding { await world.pass(.seconds(1)) }
            let mix = surroundings.mix
            world.record.count(.check, "a machine that stops")
            if machine.hasWork, mix.isQuick, !machine.isCrashed, !world.isEnding {
                let span = world.now - began
                world.fail(.drained, "m\(number) has not answered what it had, \(span) after it was told to stop")
            }
            await machine.backend?.settled()
            guard !machine.isCrashed, machine === machines[number] else { return }
            machine.crash()
            world.note("m\(number) has stopped")
            await world.pass(.seconds(5))
            if machine === machines[number] { restart(number) }
        }
    }

    /// Sets the clock of a machine to another time.
    func jump(_ number: Int, to skew: Duration) {
        surroundings.world.note("m\(number) FAULT: its clock jumps by \(skew - clocks[number].skew)")
        surroundings.world.record.count(.fault, "a clock jumps")
        clocks[number].skew = skew
    }

    /// The provider ends what a user has there.
    func endAtProvider(_ user: String, withGrants: Bool) {
        let world = surroundings.world
        world.note("FAULT: the provider ends the sessions\(withGrants ? " and grants" : "") of \(user)")
        world.record.count(.fault, "the provider ends sessions by itself")
        ledger.endedByProvider.insert(user)
        provider.endAll(of: user, withGrants: withGrants)
    }

    /// The store's replica takes its place, without the last writes, after a while in which nothing is to be had.
    func failOver(forgetting span: Duration, away: Duration) {
        guard let replicated = surroundings.shared.replicated else { return }
        let (world, since) = (surroundings.world, surroundings.world.now - span)
        world.note("FAULT: the store fails over, and forgets the last \(span)")
        world.record.count(.fault, "the store fails over")
        surroundings.weather.cutStore(for: away)
        for machine in machines { journal.failed(machine.number, at: world.now) }
        Task.detached { [self] in
            let forgotten = await replicated.failOver(forgetting: since)
            guard !forgotten.isEmpty else { return world.record.count(.fault, "a fail-over that forgets nothing") }
            world.record.count(.fault, "a fail-over that forgets writes")
            world.forgets()
            journal.forget(since: since)
            ledger.ends.forget(since: since)
            for browser in browsers { browser.forget(since: since) }
        }
    }

    /// The answers that gateways get.
    func authz(
        _ network: Network, _ time: MachineTime, _ logger: Logger, after former: AuthzAPI?
    ) throws -> AuthzAPI? {
        guard surroundings.mix.wider.hasGateways, let proxies = AddressRange("127.0.0.1"),
            let discovery = WebURL(provider.discoveryURL)
        else { return nil }
        let asking = IntrospectionSettings(clientID: "rs", clientSecret: Secret(Definition.secret))
        let issuer = try TrustedIssuer(
            issuer: String(provider.discoveryURL.dropLast("/.well-known/openid-configuration".count)),
            discovery: discovery, profile: .am, audiences: ["standard", "other", "transaction", "kiosk"],
            mode: .introspection(asking), algorithms: [.ES256])
        let accessGuard = try AccessGuard(
            issuers: [issuer], transport: network,
            directory: ProviderDirectory(transport: network, time: time, logger: logger), time: time, logger: logger)
        return AuthzAPI(
            AuthzSettings(requirements: [Definition.high], peers: [proxies]), accessGuard: accessGuard, time: time,
            after: former)
    }
}
