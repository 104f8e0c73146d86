import Basics
import JSON
import TestSupport
import Testing

@testable import BFF

/// Runs the same thing many times at once and collects what came of each.
func together<Value: Sendable>(
    _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
) async -> [Result<Value, BFFError>] {
    await withTaskGroup(of: Result<Value, BFFError>.self) { group in
        for number in 0..<count {
            group.addTask {
                do {
                    return .success(try await work(number))
                } catch let error as BFFError {
                    return .failure(error)
                } catch {
                    return .failure(.cancelled)
                }
            }
        }
        var results: [Result<Value, BFFError>] = []
        for await result in group { results.append(result) }
        return results
    }
}

extension Result {
    var error: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}

extension BFFError {
    var isStale: Bool {
        if case .staleStep = self { true } else { false }
    }
}

@Suite("At the same time")
struct RaceTests {
    @Test("a hundred equal bodies reach the provider once and get one answer", arguments: StoreKind.allCases)
    func sameBody(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        let results = await together(100) { number in
            try await processes[number % 2].next("standard", body, context)
        }
        let replies = try results.map { try $0.get() }
        #expect(Set(replies.map(\.body)).count == 1)
        #expect(Set(replies.map { "\($0.cookie)" }).count == 1 && replies[0].cookie != .keep)
        #expect(fixture.provider.count(.next) == 1 && fixture.provider.grants == ["demo"])
    }

    @Test("of fifty different bodies one is sent and the others are stale", arguments: StoreKind.allCases)
    func differentBodies(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        fixture.provider.script(.next, .page("Again"))
        let page = try await browser.start()
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        let results = await together(50) { number in
            try await processes[number % 2].next("standard", try Browser.login(page, "user\(number)"), context)
        }
        #expect(results.count { $0.error == nil } == 1)
        #expect(results.count { $0.error?.isStale == true } == 49)
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("six sign-ins of one browser leave one cookie and no orphan", arguments: StoreKind.allCases)
    func signIns(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        var pages: [JSONValue] = []
        for instance in ["standard", "transaction", "admin"] {
            for _ in 0..<2 { pages.append(try await browser.start(instance)) }
        }
        let all = pages
        let context = browser.context()
        let results = await together(6) { number in
            let instance = ["standard", "transaction", "admin"][number / 2]
            return try await fixture.backend.next(instance, try Browser.login(all[number]), context)
        }
        #expect(results.count { $0.error == nil } == 1)
        #expect(results.count { $0.error == .sessionChanged } == 5)
        await fixture.backend.settled()
        #expect(fixture.provider.grants == ["demo"] && fixture.provider.sessions.count == 1)
    }

    @Test("forty starts of one session all succeed or say why, and five flows are left", arguments: StoreKind.allCases)
    func starts(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let context = browser.context()
        let processes = [fixture.backend, try fixture.another()]
        let results = await together(40) { number in
            var start = StartRequest()
            start.forceAuth = true
            return try await processes[number % 2].start("standard", start, context)
        }
        #expect(results.allSatisfy { $0.error == nil })
        let instance = try await browser.session()["instances"]?.array?.first { $0["instance"] == "standard" }
        #expect(instance?["flows"] == 5)
    }

    @Test("starts of many accounts do not pass the bound", arguments: StoreKind.allCases)
    func accounts(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let context = browser.context()
        let results = await together(20) { number in
            try await fixture.backend.start("standard:a\(number)", StartRequest(), context)
        }
        #expect(results.count { $0.error == nil } == 7)
        #expect(results.count { $0.error == .tooManyAccounts(limit: 8) } == 13)
        #expect(try await browser.session()["accounts"]?.array?.count == 8)
    }

    @Test("everything at once leaves nothing half done", arguments: StoreKind.allCases)
    func everything(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let processes = [fixture.backend, try fixture.another()]
        var replaced = 0
        for _ in 0..<(kind == .memory ? 10 : 3) {
            let browser = try await fixture.signedIn()
            let page = try await browser.start("transaction") { $0.forceAuth = true }
            let context = browser.context()
            let body = try Browser.login(page)
            fixture.time.advance(by: .seconds(270))
            let results = await together(24) { number -> Int in
                let backend = processes[number % 2]
                switch number % 8 {
                case 0, 1: _ = try await backend.user("standard", refresh: false, context)
                case 2: _ = try await backend.refreshToken("standard", context)
                case 3: _ = try await backend.next("transaction", body, context)
                case 4: _ = try await backend.start("standard:bob", StartRequest(), context)
                case 5: _ = try await backend.session(context)
                case 6: _ = try await backend.cancelFlow("transaction", body.flow, context)
                default: _ = try await backend.logoutAll(account: nil, context)
                }
                return number
            }
            for case .failure(let error) in results {
                switch error {
                case .signedOut, .sessionChanged, .flowExpired, .staleStep: break
                default: Issue.record("\(error)")
                }
            }
            if results.contains(where: { if case .success(let number) = $0 { number % 8 == 3 } else { false } }) {
                replaced += 1
            }
            for process in processes { await process.settled() }
            await fixture.backend.retryRevocations(until: .now + .seconds(5))
        }
        // Each round ended with a logout that some raced against: whoever came later was told so or undone. The session
        // that a step-up in time took the place of is the provider's to end.
        #expect(fixture.provider.grants.isEmpty && fixture.provider.reuses == 0)
        #expect(fixture.provider.sessions.count <= replaced)
    }

    @Test("a caller that goes away does not take the step with it", arguments: StoreKind.allCases)
    func callerGone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let gone = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        gone.cancel()
        await #expect(throws: BFFError.cancelled) { try await gone.value }
        gate.open()
        #expect(try await browser.next(body)["type"] == "success")
        #expect(try await browser.user()["subject"] == "demo")
        #expect(fixture.provider.count(.next) == 1)
    }

    @Test("new settings leave what is under way shared, which another process has not")
    func reloaded() throws {
        let fixture = try Fixture()
        let work = fixture.backend.environment.work
        #expect(try fixture.reloaded().environment.work === work)
        #expect(try fixture.another().environment.work !== work)
    }

    @Test("a start whose caller goes away is stored or undone", arguments: StoreKind.allCases)
    func startGone(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let gone = Task { try await browser.start("transaction") }
        await gate.waitUntilHeld()
        gone.cancel()
        gate.open()
        _ = await gone.result
        #expect(fixture.provider.grants == ["demo", "demo"])
    }

    @Test("a second caller waits no longer than its own deadline")
    func impatient() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let body = try Browser.login(page)
        let gate = Gate()
        fixture.provider.hold(.next, at: gate)
        let first = Task { try await browser.next(body) }
        await gate.waitUntilHeld()
        await #expect(throws: BFFError.stepInProgress) { try await browser.next(body, within: .milliseconds(300)) }
        gate.open()
        #expect(try await first.value["type"] == "success")
    }
}
