import Basics
import Cloakroom
import Discovery
import EventLoop
import HTTPCore
import IdentitySimulator
import JSON
import JourneyProduct
import OpenIDConnect
import ProductKit
import Sessions
import StorageKit
import StorageRedis
import StorageSQLite
import TestSupport
import Testing

/// Two realms, each with its own provider, in one browser session: compared in the store itself.
@Suite("Two realms in one browser", .timeLimit(.minutes(2)))
struct TwoRealmsTests {
    /// The stores of the server.
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, file, redis
        var testDescription: String { rawValue }
    }

    /// The client of a second realm, of another provider.
    private static func client(_ provider: Simulator) throws -> ClientSettings {
        var openID = OpenIDClientSettings(
            discovery: try #require(WebURL(provider.discoveryURL)), issuer: provider.issuer, clientID: "bff",
            authentication: SimulatedDialect.ping.authentication("s/ecret+1"), scopes: ["openid", "profile"],
            redirectURI: "https://app.example.com/callback")
        openID.endpoints.isAM = true
        let journeys = JourneySettings(
            serverURL: try #require(WebURL(provider.serverURL)), realm: "bravo", journeys: ["Login"])
        return ClientSettings(name: "bravo", product: journeys, openID: openID)
    }

    /// The lasting fields of what a sign-in stored; table of contents, list of sign-ins and tickets are the session's own.
    private func lasting(_ snapshot: SessionSnapshot) -> [String: StoredField] {
        let kinds = ["session/", "token/", "user/", "proof/"]
        let entries = snapshot.entries.filter { entry in kinds.contains { entry.name.hasPrefix($0) } }
        return Dictionary(entries.map { ($0.name, $0.field) }) { first, _ in first }
    }

    /// All runs of twelve bytes.
    private func runs(_ fields: some Sequence<StoredField>) -> Set<[UInt8]> {
        var runs = Set<[UInt8]>()
        for field in fields where field.value.count >= 12 {
            for start in 0...(field.value.count - 12) { runs.insert(Array(field.value[start..<start + 12])) }
        }
        return runs
    }

    private func compare(_ store: any ByteStore & SessionIndex, _ time: ManualTime) async throws {
        var provider = SimulatorSettings(.ping)
        provider.realm = "bravo"
        let bravo = try Simulator(provider, time: time, logger: RecordedLog().logger("bravo"))
        try bravo.start()
        var options = Bench.Options(time: time)
        options.extensions.store = store
        options.adjust = { settings, _ in settings.clients.append(try Self.client(bravo)) }
        try await withBench(options) { bench in
            let browser = bench.browser()
            try await browser.signIn("demo")
            let subject = try #require(try await browser.user()["subject"]?.string)
            let name = IndexKeys(bench.keys).user(issuer: bench.simulator.issuer, subject: subject)[0]
            let key = try #require(try await store.listIndex(name).first)
            let before = lasting(try await store.read(key, .all))
            #expect(try await browser.signIn("alice", instance: "bravo")["signedIn"] == true)
            #expect(try await browser.user("bravo").status == 200)
            await bench.settled()
            let both = lasting(try await store.read(key, .all))
            let added = both.filter { before[$0.key] == nil }
            #expect(before.count >= 3 && added.count == before.count)
            #expect(before.allSatisfy { both[$0.key]?.value == $0.value.value }, "the first is as it was")
            #expect(runs(before.values).isDisjoint(with: runs(added.values)), "a byte is shared")
            #expect(bench.simulator.sessionCount == 1 && bravo.sessionCount == 1)

            #expect(try await browser.signOut().status == 204)
            await bench.settled()
            let after = lasting(try await store.read(key, .all))
            #expect(after == added, "the second is as it was, and of the first nothing is left")
            #expect(try await browser.user().status == 401)
            #expect(try await browser.user("bravo").status == 200)
            #expect(bench.simulator.sessionCount == 0 && bravo.sessionCount == 1)
        }
        await bravo.stop()
    }

    @Test("share no byte, and a logout of the one leaves the other as it is", arguments: Kind.allCases)
    func realms(_ kind: Kind) async throws {
        let time = ManualTime()
        switch kind {
        case .memory: try await compare(MemoryStore(time: time), time)
        case .file:
            let folder = try TemporaryFolder()
            let store = try SQLiteStore(path: folder.file("sessions.sqlite"), time: time)
            try await compare(store, time)
            await store.close()
        case .redis:
            guard let redis = try LocalRedis() else { return }
            try await redis.ready()
            let store = RedisStore(redis.settings, on: try EventThread(name: "store"), time: time)
            try await compare(store, time)
            await store.close()
            await redis.end()
        }
    }
}
