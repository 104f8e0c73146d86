import Basics
import Cloakroom
import HTTPCore
import JSON
import StorageKit
import TestSupport
import Testing

/// The table of docs/storage-strategies.md, row by row; each test goes through all strategies.
@Suite("A storage with a strategy", .timeLimit(.minutes(3)))
struct StorageStrategyTests {
    private static let away = [503, 503]

    @Test("is read from the store, or from a copy for a second with cache", arguments: CacheStrategy.allCases)
    func read(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            let before = nodes.store.reads
            #expect(try await nodes.statuses() == [200, 200])
            #expect((nodes.store.reads == before) == (strategy == .cache))
            nodes.first.time.advance(by: .seconds(1))
            let later = nodes.store.reads
            #expect(try await nodes.statuses() == [200, 200])
            #expect(nodes.store.reads > later)
        }
    }

    @Test("is read from a copy while the store is away, up to its age", arguments: CacheStrategy.allCases)
    func readAway(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            let cookie = await nodes.browser.cookie
            nodes.store.isAway = true
            let answers = try await nodes.reads()
            #expect(answers.map(\.status) == (strategy == .noCache ? Self.away : [200, 200]))
            if strategy == .noCache { #expect(answers[0]["type"] == "/problems/store-unavailable") }
            nodes.first.time.advance(by: .seconds(strategy == .cache ? 1 : 60))
            #expect(try await nodes.statuses() == Self.away)
            #expect(await nodes.browser.cookie == cookie)
            nodes.store.isAway = false
            #expect(try await nodes.statuses() == [200, 200])
        }
    }

    @Test(
        "is read as another node wrote it, with cache once the message came",
        arguments: CacheStrategy.allCases, SharedStoreKind.allCases)
    func readElsewhere(_ strategy: CacheStrategy, _ kind: SharedStoreKind) async throws {
        try await withStorage(strategy, over: kind) { nodes async throws in
            #expect(try await nodes.browser.moved(to: nodes.second).signOut().status == 204)
            if strategy == .cache {
                while try await nodes.browser.user().status == 200 { await Task.yield() }
            }
            #expect(try await nodes.statuses() == [401, 401])
        }
    }

    @Test(
        "is not read from a copy that another node made void before the store went away",
        arguments: CacheStrategy.allCases, SharedStoreKind.allCases)
    func readAfterEnd(_ strategy: CacheStrategy, _ kind: SharedStoreKind) async throws {
        try await withStorage(strategy, over: kind) { nodes async throws in
            #expect(try await nodes.browser.moved(to: nodes.second).signOut().status == 204)
            nodes.store.isAway = true
            while try await nodes.statuses() != Self.away { await Task.yield() }
            nodes.store.isAway = false
            #expect(try await nodes.statuses() == [401, 401])
        }
    }

    @Test("is stale for its age at most where messages are lost", arguments: CacheStrategy.allCases)
    func lostMessages(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy, keepsMessages: false) { nodes async throws in
            #expect(try await nodes.browser.moved(to: nodes.second).signOut().status == 204)
            #expect(try await nodes.statuses() == (strategy == .cache ? [200, 200] : [401, 401]))
            nodes.first.time.advance(by: .seconds(1))
            #expect(try await nodes.statuses() == [401, 401])
            nodes.store.isAway = true
            #expect(try await nodes.statuses() == Self.away)
        }
    }

    @Test("is saved in the store, and read as it was saved", arguments: CacheStrategy.allCases)
    func save(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            nodes.first.time.advance(by: .seconds(100))
            #expect(try await nodes.browser.call(.post, "/bff/standard/token/refresh").status == 200)
            #expect(try await nodes.browser.user()["token.expiresIn"] == 3600)
            #expect(try await nodes.browser.moved(to: nodes.second).user()["token.expiresIn"] == 3600)
        }
    }

    @Test("is not saved while the store is away", arguments: CacheStrategy.allCases)
    func saveAway(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            nodes.first.time.advance(by: .seconds(100))
            let cookie = await nodes.browser.cookie
            nodes.store.isAway = true
            #expect(try await nodes.browser.call(.post, "/bff/standard/token/refresh").status == 503)
            #expect(try await nodes.browser.start("standard:alice").status == 503)
            #expect(try await nodes.browser.user(query: "?refresh=true").status == 503)
            #expect(await nodes.browser.cookie == cookie)
            nodes.store.isAway = false
            #expect(try await nodes.browser.user()["token.expiresIn"] == 3500)
        }
    }

    @Test("is saved over what another node saved, and never over a copy", arguments: CacheStrategy.allCases)
    func saveElsewhere(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy, keepsMessages: false) { nodes async throws in
            nodes.first.time.advance(by: .seconds(100))
            let other = try await nodes.browser.moved(to: nodes.second)
            #expect(try await other.call(.post, "/bff/standard/token/refresh").status == 200)
            nodes.first.time.advance(by: .seconds(100))
            // The refresh token of the copy is spent: only the one in the store gets tokens.
            #expect(try await nodes.browser.call(.post, "/bff/standard/token/refresh").status == 200)
            #expect(try await nodes.browser.user()["token.expiresIn"] == 3600)
            #expect(try await other.user()["token.expiresIn"] == 3600)
        }
    }

    @Test("is deleted in the store, and no copy is left", arguments: CacheStrategy.allCases)
    func delete(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            let cookie = await nodes.browser.cookie
            #expect(try await nodes.browser.signOut().status == 204)
            // A page that was not told keeps its cookie.
            let late = nodes.first.browser(cookie: cookie)
            #expect(try await late.user().status == 401)
            nodes.store.isAway = true
            #expect(try await late.user().status == 503)
            #expect(try await late.call(.get, "/api/accounts").status == 503)
        }
    }

    @Test("is not deleted while the store is away, and not read either from then on", arguments: CacheStrategy.allCases)
    func deleteAway(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy) { nodes async throws in
            let cookie = await nodes.browser.cookie
            nodes.store.isAway = true
            #expect(try await nodes.browser.signOut().status == 503)
            #expect(await nodes.browser.cookie == cookie)
            #expect(try await nodes.statuses() == Self.away)
            nodes.store.isAway = false
            #expect(try await nodes.browser.signOut().status == 204)
            #expect(try await nodes.browser.user().status == 401)
        }
    }

    @Test("is deleted once, whichever node was first", arguments: CacheStrategy.allCases)
    func deleteElsewhere(_ strategy: CacheStrategy) async throws {
        try await withStorage(strategy, keepsMessages: false) { nodes async throws in
            #expect(try await nodes.browser.moved(to: nodes.second).signOut().status == 204)
            #expect(try await nodes.browser.signOut().status == 204)
            #expect(try await nodes.statuses() == [401, 401])
        }
    }
}
