import Basics
import Discovery
import HTTPCore
import JOSE
import JSON
import TestSupport
import Testing

@Suite("The provider directory", .timeLimit(.minutes(1)))
struct DirectoryTests {
    typealias Fixture = ProviderFixture

    let fixture = Fixture()
    let first = Result { try SigningKey.generate(.ES256, keyID: "k1") }
    let second = Result { try SigningKey.generate(.ES256, keyID: "k2") }

    func serveKeys(_ keys: SigningKey...) {
        let set = JWKSet(keys.map(\.jwk))
        fixture.transport.on(.get, Fixture.keySet, answering: Fixture.answer(set.json))
    }

    func keys(_ metadata: ProviderMetadata) async throws -> [String?] {
        try await fixture.directory.keys(for: metadata, deadline: .now + .seconds(60)).keys.map(\.id)
    }

    func keys(_ metadata: ProviderMetadata, missing id: String?) async throws -> [String?] {
        try await fixture.directory.keys(
            for: metadata, afterUnknown: id, .ES256, deadline: .now + .seconds(60)
        ).keys.keys.map(\.id)
    }

    var keyFetches: Int { fixture.transport.requests(to: Fixture.keySet).count }

    @Test("fetches once for many callers")
    func singleFlight() async throws {
        let gate = Gate()
        let begun = Locked(0)
        fixture.transport.on(.get, Fixture.discovery) { _ in
            await gate.pass()
            return Fixture.answer(Fixture.document)
        }
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<40 {
                group.addTask {
                    begun.withLock { $0 += 1 }
                    return (try? await fixture.metadata()) != nil
                }
            }
            await gate.waitUntilHeld()
            // Who looks for a copy just before there is one and waits for it just after would fetch again.
            while begun.withLock({ $0 }) < 40 { await Task.yield() }
            gate.open()
            for await fine in group { #expect(fine) }
        }
        // Later callers find the kept copy; nobody fetches again.
        _ = try await fixture.metadata()
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("keeps metadata for an hour and keys for a minute")
    func timeToLive() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let location = try ProviderFixture.location()
        #expect(fixture.directory.cachedKeys(at: location)?.keys == nil)
        let metadata = try await fixture.metadata()
        #expect(fixture.directory.cachedKeys(at: location)?.keys == nil)
        #expect(try await keys(metadata) == ["k1"])
        let copy = try #require(fixture.directory.cachedKeys(at: location))
        #expect(copy.keys.keys.count == 1 && copy.until == fixture.time.now() + .seconds(60))
        fixture.time.advance(by: .seconds(59))
        _ = try await keys(metadata)
        #expect(fixture.transport.requests.count == 2)
        fixture.time.advance(by: .seconds(1))
        #expect(fixture.directory.cachedKeys(at: location)?.keys == nil)
        serveKeys(try second.get())
        #expect(try await keys(metadata) == ["k2"])
        #expect(fixture.transport.requests.count == 3)
        fixture.time.advance(by: .seconds(3539))
        _ = try await fixture.metadata()
        #expect(fixture.transport.requests.count == 3)
        fixture.time.advance(by: .seconds(1))
        _ = try await fixture.metadata()
        #expect(fixture.transport.requests.count == 4)
    }

    @Test("renews a copy when the clock was set back")
    func clockSetBack() async throws {
        fixture.serve()
        _ = try await fixture.metadata()
        fixture.time.advance(by: .seconds(-10))
        _ = try await fixture.metadata()
        #expect(fixture.transport.requests.count == 2)
    }

    @Test("keeps no failure")
    func failureIsNotKept() async throws {
        fixture.transport.on(.get, Fixture.discovery, failing: .notReached(.connect))
        await #expect(throws: DiscoveryError.unavailable(.connect)) { try await fixture.metadata() }
        fixture.serve()
        #expect(try await fixture.metadata().issuer == Fixture.base)
    }

    @Test(
        "serves the last good copy while renewing fails, and asks again only after a pause",
        arguments: [
            .json("{}"), .json("nonsense"), .html("maintenance", status: 503),
            .json(#"{"issuer":"https://evil.example.net"}"#), .redirect(to: "https://evil.example.net/"),
        ] as [ClientResponse])
    func lastGoodCopy(answer: ClientResponse) async throws {
        fixture.serve()
        _ = try await fixture.metadata()
        fixture.transport.on(.get, Fixture.discovery, answering: answer)
        fixture.time.advance(by: .seconds(4000))
        #expect(try await fixture.metadata().issuer == Fixture.base)
        #expect(fixture.transport.requests.count == 2)
        fixture.time.advance(by: .seconds(29))
        #expect(try await fixture.metadata().issuer == Fixture.base)
        #expect(fixture.transport.requests.count == 2)
        fixture.time.advance(by: .seconds(1))
        #expect(try await fixture.metadata().issuer == Fixture.base)
        #expect(fixture.transport.requests.count == 3)
    }

    @Test("serves no copy that is a day old")
    func staleLimit() async throws {
        fixture.serve()
        _ = try await fixture.metadata()
        fixture.transport.on(.get, Fixture.discovery, failing: .notReached(.connect))
        fixture.time.advance(by: .seconds(24 * 3600 - 1))
        #expect(try await fixture.metadata().issuer == Fixture.base)
        fixture.time.advance(by: .seconds(1))
        await #expect(throws: DiscoveryError.unavailable(.connect)) { try await fixture.metadata() }
    }

    @Test("fetches the keys again for an unknown key id, but not more often than the interval allows")
    func unknownKey() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let metadata = try await fixture.metadata()
        #expect(try await keys(metadata) == ["k1"])
        serveKeys(try first.get(), try second.get())
        #expect(try await keys(metadata, missing: "k2") == ["k1", "k2"])
        #expect(keyFetches == 2)
        // Known by now: no fetch. Unknown still: none before the interval has passed, whatever the id.
        #expect(try await keys(metadata, missing: "k2") == ["k1", "k2"])
        for id in ["x", "y", nil] { #expect(try await keys(metadata, missing: id) == ["k1", "k2"]) }
        fixture.time.advance(by: .seconds(29))
        _ = try await keys(metadata, missing: "x")
        #expect(keyFetches == 2)
        fixture.time.advance(by: .seconds(1))
        // Due again, but somebody else's fetch has brought this one meanwhile.
        _ = try await keys(metadata, missing: "k2")
        #expect(keyFetches == 2)
        _ = try await keys(metadata, missing: "x")
        #expect(keyFetches == 3)
    }

    @Test("fetches the keys again for a known key id whose key has not the algorithm that is missed")
    func unknownAlgorithm() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let metadata = try await fixture.metadata()
        _ = try await keys(metadata)
        #expect(try await keys(metadata, missing: "k1") == ["k1"])
        #expect(keyFetches == 1)
        serveKeys(try first.get(), try second.get())
        let renewed = try await fixture.directory.keys(
            for: metadata, afterUnknown: "k1", .RS256, deadline: .now + .seconds(60))
        #expect(renewed.keys.keys.map(\.id) == ["k1", "k2"] && renewed.isNew && keyFetches == 2)
    }

    @Test("says whether the keys that lack one were fetched in search of it")
    func isNew() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let metadata = try await fixture.metadata()
        _ = try await keys(metadata)
        func isNew(after seconds: Int) async throws -> Bool {
            fixture.time.advance(by: .seconds(seconds))
            return try await fixture.directory.keys(
                for: metadata, afterUnknown: nil, .ES256, deadline: .now + .seconds(60)
            ).isNew
        }
        #expect(try await isNew(after: 0))
        // Not due yet, then due, and then the fetch fails.
        #expect(try await !isNew(after: 1))
        #expect(try await isNew(after: 60))
        fixture.transport.on(.get, Fixture.keySet) { _ in ClientResponse(status: 500, body: []) }
        #expect(try await !isNew(after: 60))
    }

    @Test("does not say that a key is missing while the provider hangs, and does not wait for it to the end")
    func unknownKeyHangs() async throws {
        fixture.serve()
        serveKeys(try first.get())
        var settings = DirectorySettings()
        settings.missedKeyPatience = .milliseconds(100)
        let directory = ProviderDirectory(transport: fixture.transport, time: SystemTime(), settings: settings)
        let metadata = try await fixture.metadata()
        _ = try await directory.keys(for: metadata, deadline: .now + .seconds(60))
        let gate = Gate()
        let set = JWKSet([try second.get().jwk]).json
        fixture.transport.on(.get, Fixture.keySet) { _ in
            await gate.pass()
            return Fixture.answer(set)
        }
        let began = ContinuousClock.now
        await #expect(throws: DiscoveryError.unavailable(.timeout)) {
            _ = try await directory.keys(for: metadata, afterUnknown: "k2", .ES256, deadline: .now + .seconds(60))
        }
        #expect(began.duration(to: .now) < .seconds(5))
        gate.open()
    }

    @Test("lets callers who miss a key wait for the fetch that is under way")
    func unknownKeyTogether() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let metadata = try await fixture.metadata()
        _ = try await keys(metadata)
        let gate = Gate()
        let renewed = JWKSet([try second.get().jwk])
        fixture.transport.on(.get, Fixture.keySet) { _ in
            await gate.pass()
            return Fixture.answer(renewed.json)
        }
        async let early = keys(metadata, missing: "k2")
        await gate.waitUntilHeld()
        let late = Task { try await keys(metadata, missing: "k2") }
        // While it is fetched, those whose key is known go on with the copy at hand.
        #expect(try await keys(metadata) == ["k1"])
        gate.open()
        #expect(try await early == ["k2"])
        #expect(try await late.value == ["k2"])
        #expect(keyFetches == 2)
    }

    @Test("keeps the keys at hand when fetching for an unknown key id fails")
    func unknownKeyInOutage() async throws {
        fixture.serve()
        serveKeys(try first.get())
        let metadata = try await fixture.metadata()
        _ = try await keys(metadata)
        fixture.transport.on(.get, Fixture.keySet, failing: .notReached(.connect))
        #expect(try await keys(metadata, missing: "k2") == ["k1"])
        #expect(try await keys(metadata, missing: "k2") == ["k1"])
        #expect(keyFetches == 2)
        // Also after the hour, and even then not once per forged token.
        fixture.time.advance(by: .seconds(4000))
        for _ in 0..<5 { #expect(try await keys(metadata, missing: "k2") == ["k1"]) }
        #expect(keyFetches == 3)
        // A fetch that failed does not block the next one for ever.
        fixture.time.advance(by: .seconds(30))
        serveKeys(try second.get())
        #expect(try await keys(metadata, missing: "k2") == ["k2"])
    }

    @Test("replaces the whole set: a key that the provider withdrew is gone")
    func withdrawn() async throws {
        fixture.serve()
        serveKeys(try first.get(), try second.get())
        let metadata = try await fixture.metadata()
        _ = try await keys(metadata)
        serveKeys(try second.get())
        #expect(try await keys(metadata, missing: "k3") == ["k2"])
    }

    @Test("refuses a key set that is none", arguments: ["", "[]", "{}", "<html>", #"{"keys":1}"#])
    func notAKeySet(body: String) async throws {
        fixture.serve()
        fixture.transport.on(.get, Fixture.keySet, answering: .json(body))
        let metadata = try await fixture.metadata()
        await #expect(throws: DiscoveryError.malformed(member: nil)) { try await keys(metadata) }
    }

    @Test("lets a caller go at its deadline; the fetch goes on for the next one")
    func deadline() async throws {
        let gate = Gate()
        fixture.transport.on(.get, Fixture.discovery) { _ in
            await gate.pass()
            return Fixture.answer(Fixture.document)
        }
        let location = try Fixture.location()
        await #expect(throws: DiscoveryError.unavailable(.timeout)) {
            try await fixture.directory.metadata(location, deadline: .now - .seconds(1))
        }
        let next = Task { try await fixture.metadata() }
        await gate.waitUntilHeld()
        gate.open()
        #expect(try await next.value.issuer == Fixture.base)
        #expect(fixture.transport.requests.count == 1)
    }

    @Test("lets a cancelled caller go")
    func cancelled() async throws {
        let gate = Gate()
        fixture.transport.on(.get, Fixture.discovery) { _ in
            await gate.pass()
            return Fixture.answer(Fixture.document)
        }
        let caller = Task { try await fixture.metadata() }
        await gate.waitUntilHeld()
        caller.cancel()
        await #expect(throws: DiscoveryError.cancelled) { try await caller.value }
        gate.open()
        #expect(try await fixture.metadata().issuer == Fixture.base)
    }

    @Test("keeps a bounded number of documents")
    func bounded() async throws {
        var settings = DirectorySettings()
        settings.maximumEntries = 2
        let fixture = Fixture(settings: settings)
        for number in 0..<4 {
            let base = "https://am\(number).example.com"
            let json: JSONObject = [
                "issuer": .string(base), "authorization_endpoint": .string(base + "/a"),
                "token_endpoint": .string(base + "/t"), "jwks_uri": .string(base + "/k"),
            ]
            fixture.transport.on(.get, base + Fixture.suffix, answering: Fixture.answer(json))
        }
        func fetch(_ number: Int) async throws {
            let location = try Fixture.location("https://am\(number).example.com" + Fixture.suffix, issuer: nil)
            _ = try await fixture.metadata(location)
            fixture.time.advance(by: .seconds(1))
        }
        for number in 0..<4 { try await fetch(number) }
        try await fetch(3)
        #expect(fixture.transport.requests.count == 4)
        try await fetch(0)
        #expect(fixture.transport.requests.count == 5)
    }
}
