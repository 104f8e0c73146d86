import BFF
import BFFAPI
import Basics
import Cloakroom
import HTTPCore
import JSON
import ProductKit
import ResourceServer
import StorageKit
import TestSupport
import Testing

/// What a copy must never do, while the store is away and copies are allowed.
@Suite("A copy of records")
struct StorageCopyAttackTests {
    @Test("is not opened by a cookie that was replaced")
    func replaced() async throws {
        try await withStorage(.cacheOnFailure) { nodes async throws in
            let old = nodes.first.browser(cookie: await nodes.browser.cookie)
            let page = try await nodes.browser.start("standard", ["forceAuth": true])
            #expect(try await nodes.browser.answer(page, "demo")["signedIn"] == true)
            nodes.store.isAway = true
            #expect(try await old.user().status == 503)
            #expect(try await old.call(.get, "/api/accounts").status == 503)
        }
    }

    @Test("is not opened by a cookie that another node replaced, once the store has said so")
    func replacedElsewhere() async throws {
        try await withStorage(.cacheOnFailure, keepsMessages: false) { nodes async throws in
            let there = try await nodes.browser.moved(to: nodes.second)
            let page = try await there.start("standard", ["forceAuth": true])
            #expect(try await there.answer(page, "demo")["signedIn"] == true)
            #expect(try await there.user().status == 200)
            // It reads for ten seconds; the copy is good for sixty.
            nodes.first.time.advance(by: .seconds(11))
            #expect(try await !nodes.statuses().contains(200))
            nodes.store.isAway = true
            #expect(try await nodes.statuses() == [503, 503])
        }
    }

    @Test("calls nothing once a renewal is due, and answers no request for what is so now")
    func due() async throws {
        try await withStorage(
            .cache, keepsMessages: false,
            adjust: { settings in settings.clients[0].refreshThreshold = .seconds(10) }
        ) { nodes async throws in
            func asks(_ path: String) async throws -> Bool {
                let before = nodes.store.reads
                #expect(try await nodes.browser.call(.get, path).status == 200)
                return nodes.store.reads > before
            }
            #expect(try await !asks("/bff/standard/user"))
            #expect(try await asks("/bff/standard/user?refresh=true"))
            for time in [1_500_000, 1_500_000, 589_500] {
                nodes.first.time.advance(by: .milliseconds(time))
                #expect(try await nodes.statuses() == [200, 200])
            }
            #expect(try await !asks("/api/accounts"))
            // Half a second later the copy is young enough, and the token old enough.
            nodes.first.time.advance(by: .milliseconds(600))
            #expect(try await asks("/api/accounts"))
        }
    }

    @Test("is opened by its cookie alone")
    func otherSecret() async throws {
        try await withStorage(.cacheOnFailure) { nodes async throws in
            let own = try #require(await nodes.browser.cookie)
            let stranger = nodes.first.browser()
            try await stranger.signIn("alice")
            let foreign = try #require(await stranger.cookie)
            // The session's tag with a secret of another session.
            let forged = String(own.dropLast(43)) + String(foreign.suffix(43))
            nodes.store.isAway = true
            #expect(try await nodes.first.browser(cookie: forged).user().status == 503)
            #expect(try await nodes.browser.user().status == 200)
        }
    }

    @Test("does not outlive the session's idle timeout")
    func idle() async throws {
        try await withStorage(
            .cacheOnFailure, keepsMessages: false, adjust: { settings in settings.sessions.idle = .seconds(60) }
        ) { nodes async throws in
            nodes.first.time.advance(by: .seconds(14))
            #expect(try await nodes.statuses() == [200, 200])
            nodes.store.isAway = true
            nodes.first.time.advance(by: .seconds(45))
            #expect(try await nodes.statuses() == [200, 200])
            nodes.first.time.advance(by: .seconds(1))
            #expect(try await nodes.statuses() == [503, 503])
        }
    }

    @Test("does not outlive the token, whose renewal waits for the store")
    func token() async throws {
        try await withStorage(
            .cacheOnFailure, keepsMessages: false,
            adjust: { settings in settings.clients[0].refreshThreshold = .seconds(10) }
        ) { nodes async throws in
            // Never so long that the session is idle.
            for seconds in [1500, 1500, 580] {
                nodes.first.time.advance(by: .seconds(seconds))
                #expect(try await nodes.statuses() == [200, 200])
            }
            #expect(try await nodes.statuses() == [200, 200])
            nodes.store.isAway = true
            // The renewal is due from now on, and cannot be written.
            nodes.first.time.advance(by: .seconds(19))
            #expect(try await nodes.statuses() == [200, 200])
            #expect(try await nodes.browser.user()["token.expiresIn"] == 1)
            nodes.first.time.advance(by: .seconds(1))
            #expect(try await nodes.statuses() == [503, 503])
        }
    }

    @Test("calls no route that demands more than a sign-in")
    func requirement() async throws {
        let level = Requirement(name: "any", scopes: ["openid"], stepUp: "standard")
        try await withStorage(
            .cacheOnFailure,
            adjust: { settings in
                settings.requirements = [level]
                var upstream = settings.routes[0].upstream
                upstream.path = "/transactions"
                settings.routes.append(
                    RouteSettings(
                        path: "/api/transfers", upstream: upstream, methods: [.get],
                        route: RouteDefinition(id: "transfers", clients: ["standard"], demand: .requirement("any"))))
            }
        ) { nodes async throws in
            for _ in 0..<2 {
                #expect(try await nodes.browser.call(.get, "/api/transfers").status == 200)
                await nodes.first.settled()
            }
            nodes.store.isAway = true
            #expect(try await nodes.browser.call(.get, "/api/transfers").status == 503)
            #expect(try await nodes.statuses() == [200, 200])
        }
    }

    @Test("answers nothing but user and calls: no page, no list, no session")
    func others() async throws {
        try await withStorage(.cacheOnFailure) { nodes async throws in
            nodes.store.isAway = true
            #expect(try await nodes.browser.call(.get, "/bff/session").status == 503)
            #expect(try await nodes.browser.call(.get, "/bff/standard/sessions").status == 503)
            #expect(try await nodes.browser.start().status == 503)
            #expect(try await nodes.statuses() == [200, 200])
        }
    }

    @Test("is told of in the log once, and of the end of the outage")
    func log() async throws {
        try await withStorage(.cacheOnFailure) { nodes async throws in
            nodes.store.isAway = true
            for _ in 0..<3 { #expect(try await nodes.statuses() == [200, 200]) }
            nodes.store.isAway = false
            #expect(try await nodes.statuses() == [200, 200])
            let lines = nodes.first.recorder.lines
            #expect(lines.count { $0.hasPrefix("warning The store does not answer: copies") } == 1)
            #expect(lines.count { $0.hasPrefix("info The store answers again: reads need no copies") } == 1)
        }
    }
}
