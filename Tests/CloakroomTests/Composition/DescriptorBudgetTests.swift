import HTTPServer
import StorageRedis
import Testing

@testable import Cloakroom

@Suite("The budget of descriptors")
struct DescriptorBudgetTests {
    private static func demand(
        browsers: Int = 4096, operators: Int? = 4096, outbound: Int = 320
    ) -> DescriptorBudget.Demand {
        DescriptorBudget.Demand(
            open: 10, threads: 4, browsers: browsers, operators: operators, outbound: outbound, store: 9)
    }

    /// What a budget gives out at most, with what a server has open besides.
    private func used(_ budget: DescriptorBudget, _ demand: DescriptorBudget.Demand) -> Int {
        let admin = demand.operators == nil ? 0 : ListenerSettings.Limits.sockets(for: budget.operators)
        return demand.open + 64 + demand.store + 4 * demand.threads + admin
            + ListenerSettings.Limits.sockets(for: budget.browsers)
    }

    @Test func `gives each what its settings say where that fits`() throws {
        let demand = Self.demand()
        let budget = try DescriptorBudget(demand, within: 1 << 20)
        #expect(budget.browsers == 4096 && budget.operators == 4096 && !budget.isShort)
        let exact = try DescriptorBudget(demand, within: budget.wanted)
        #expect(exact.browsers == 4096 && exact.operators == 4096 && !exact.isShort)
        #expect(try DescriptorBudget(demand, within: budget.wanted - 1).isShort)
        #expect(try DescriptorBudget(demand, within: .max).browsers == 4096)
    }

    @Test(
        "never gives out more than there is, and keeps a third back for calls out",
        arguments: Array(200...9000) as [Int])
    func neverMore(_ limit: Int) throws {
        for demand in [Self.demand(), Self.demand(operators: nil), Self.demand(browsers: 200, operators: 8)] {
            let budget = try DescriptorBudget(demand, within: limit)
            let left = limit - demand.open - 64 - demand.store - 4 * demand.threads
            #expect(used(budget, demand) + min(demand.outbound, left / 3) <= limit)
            #expect(budget.browsers >= DescriptorBudget.fewest && budget.browsers <= demand.browsers)
            #expect(budget.isShort || budget.browsers == demand.browsers)
        }
    }

    @Test func `gives browsers what others do not ask for`() throws {
        let alone = try DescriptorBudget(Self.demand(operators: nil, outbound: 1), within: 1024)
        #expect(alone.browsers > 850 && alone.operators == 0)
        let shared = try DescriptorBudget(Self.demand(), within: 1024)
        #expect(390...500 ~= shared.browsers && 100...160 ~= shared.operators)
    }

    @Test func `refuses a limit with which nobody could be served, and says what it needs`() throws {
        let refusal = #expect(throws: ServerError.self) { try DescriptorBudget(Self.demand(), within: 150) }
        guard case .descriptors(150, let least, let wanted) = refusal else {
            Issue.record("another refusal: \(String(describing: refusal))")
            return
        }
        #expect(try DescriptorBudget(Self.demand(), within: least).browsers >= DescriptorBudget.fewest)
        #expect(try !DescriptorBudget(Self.demand(), within: wanted).isShort)
        let text = try #require(refusal).description
        for part in ["150 files", "\(least) at least", "\(wanted) for server.limits.connections", "LimitNOFILE="] {
            #expect(text.contains(part), "\(part) in \(text)")
        }
    }

    @Test func `keeps sockets for each thread of a store, as its address needs them`() throws {
        func demand(_ url: String, _ change: (inout RedisSettings) -> Void = { _ in }) throws -> Int {
            var redis = try #require(RedisSettings(url: url))
            change(&redis)
            return StoreSettings.redis(redis).descriptorDemand(threads: 8)
        }
        let hosts = ["a", "b", "c"].map { RedisSettings.Sentinels.Host(host: $0) }
        #expect(try demand("redis://127.0.0.1:6379") == 9)
        #expect(
            try demand("redis+sentinel:///0") { $0.address = .sentinels(.init(hosts: hosts, master: "m")) } == 8 * 4 + 4
        )
        #expect(try demand("redis+cluster:///") { $0.address = .cluster(.init(nodes: hosts)) } == 8 * (16 + 8) + 1)
        #expect(StoreSettings.memory.descriptorDemand(threads: 8) == 0)
    }

    @Test func `takes a listener of few connections for what it is`() throws {
        let budget = try DescriptorBudget(Self.demand(browsers: 4, operators: nil, outbound: 1), within: 120)
        #expect(budget.browsers == 4)
    }
}
