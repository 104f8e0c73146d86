import Basics
import Cryptography
import JSON
import ResourceServer
import Sessions
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import Logs

@Suite("The audit")
struct AuditTests {
    private func lines(_ fixture: Fixture) -> [AuditLine] { fixture.log.lines.compactMap { AuditLine($0) } }

    @Test("has a page that names every event and outcome, in order, and none that is not there")
    func page() throws {
        let page = try AuditPage()
        #expect(
            page.rows.map { "\($0.event) \($0.outcome)" }
                == AuditEvent.all.map { "\($0.words.event) \($0.words.outcome)" })
        #expect(Set(page.rows.map(\.event)) == AuditLine.events)
        #expect(Set(page.examples.map(\.event)) == AuditLine.events)
        for (event, line) in page.examples {
            let members = try #require(try JSONValue(parsing: Array(line.utf8)).object)
            #expect(members["message"]?.string == event && members["label"]?.string == AuditLog.label)
            let row = try #require(page.rows.first { $0.event == event && $0.outcome == members["outcome"]?.string })
            #expect(Set(members.names).isSubset(of: page.common.union(row.further)), "\(line)")
        }
    }

    @Test(
        "tells a sign-in, refusals, a failure and a logout, each with user, session and client",
        arguments: StoreKind.allCases)
    func signIn(kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.subjectChanged) { try await browser.signIn("bob") }
        fixture.provider.script(.next, .failure("authentication-failed"))
        try await browser.next(try Browser.login(try await browser.start { $0.forceAuth = true }))
        await #expect(throws: BFFError.notAllowed(.prompt)) { try await browser.start { $0.prompt = "none" } }
        try await browser.logout()
        #expect(
            fixture.told == [
                "sign-in done", "sign-in refused subject-changed", "sign-in failed authentication-failed",
                "call refused not-allowed", "logout ended",
            ])
        let all = lines(fixture)
        let page = try AuditPage()
        for line in all {
            #expect(page.knows(line), "\(line.members)")
            #expect(line["client"] == "standard" && line["request.id"] == "r-1" && line["address"] == "192.0.2.7")
        }
        // The session's name outlives the change of its cookie.
        #expect(Set(all.map { $0["session"] }).count == 1 && all[0]["session"]?.hasPrefix("k1.") == true)
        #expect(all[0]["user"] == all[4]["user"] && all[0]["user"] != all[1]["user"])
        #expect(all[0]["user"]?.hasPrefix("k1.") == true && all[0]["user"]?.count == 3 + 22)
    }

    @Test("names a flow by a digest of its id alone, equal in each of its lines")
    func flows() async throws {
        let fixture = try Fixture { $0.refusals = 0 }
        let browser = fixture.browser()
        var digests: [String] = []
        for outcome in [FakeProvider.Step.refused("Wrong"), .success("demo")] {
            fixture.provider.script(.next, outcome)
            let page = try await browser.start()
            let id = try #require(page["flow"]?.string)
            digests.append(FlowDigest(of: id).text)
            try await browser.next(try Browser.answer(page, [:]))
            #expect(!fixture.log.lines.contains { $0.contains(id) || $0.contains(id.dropFirst(2)) })
        }
        #expect(Set(digests).count == 2 && digests.allSatisfy { $0.isWord(12...12) })
        #expect(fixture.told.count == 3)
        #expect(lines(fixture).map { $0["flow"] ?? "" }.sorted() == [digests[0], digests[0], digests[1]].sorted())
        // As the page computes it.
        #expect(FlowDigest(of: "f_AAAAAAAAAAAAAAAAAAAAAA").text == "Wh_lETMyS6hp")
    }

    @Test("tells a start by the provider session that is refused when it is stored, once, and none by use")
    func refusedStart() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .success("bob"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.start() }
        // A start that a logout overtakes.
        let gate = Gate()
        fixture.provider.hold(.userinfo, at: gate)
        let late = Task { try await browser.start("transaction") }
        await gate.waitUntilHeld()
        try await Browser(fixture.backend, cookie: browser.cookie).logoutAll()
        gate.open()
        await #expect(throws: BFFError.sessionChanged) { try await late.value }
        #expect(
            fixture.told == [
                "sign-in done", "sign-in refused subject-changed", "logout ended", "sign-in refused session-changed",
            ])
        let page = try AuditPage()
        for line in lines(fixture) { #expect(page.knows(line) && line["user"] != nil, "\(line.members)") }
    }

    @Test("tells a step-up that a renewal offers, but not where another token does")
    func weakRenewal() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.time.advance(by: .seconds(100))
        try await browser.signIn("demo", "transaction")
        fixture.provider.fail(.refresh, .invalidGrant)
        fixture.provider.fail(.authorize, .tooWeak, .tooWeak, .tooWeak)
        fixture.time.advance(by: .seconds(200))
        func offers() -> Int { fixture.told.count { $0 == "step-up offered" } }
        let both = RouteDefinition(id: "/api/z", clients: ["standard", "transaction"], demand: .signedIn)
        #expect(try await fixture.backend.token(for: both, account: "", browser.context()) != nil && offers() == 0)
        await #expect(throws: BFFError.self) { try await browser.user() }
        #expect(offers() == 1)
        let one = RouteDefinition(id: "/api/y", clients: ["standard"], demand: .signedIn)
        let other = try await fixture.signedIn("alice")
        fixture.time.advance(by: .seconds(300))
        fixture.provider.fail(.refresh, .invalidGrant)
        await #expect(throws: BFFError.self) {
            try await fixture.backend.token(for: one, account: "", other.context())
        }
        #expect(offers() == 2)
    }

    @Test("tells renewals, revocations and what a limit ends")
    func tokens() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await browser.refreshToken()
        fixture.time.advance(by: .seconds(1))
        fixture.provider.fail(.refresh, .unavailable(retryAfter: .seconds(1)))
        await #expect(throws: BFFError.self) { try await browser.refreshToken() }
        fixture.provider.fail(.revoke, .unavailable(retryAfter: .seconds(1)))
        try await browser.revokeToken()
        try await browser.revokeToken()
        try await browser.signIn("demo", "admin")
        fixture.time.advance(by: .seconds(300))
        await #expect(throws: BFFError.signedOut) { try await browser.user("admin") }
        #expect(
            fixture.told == [
                "sign-in done", "refresh done", "refresh failed provider-unavailable", "revoke pending", "sign-in done",
                "end ended limit",
            ])
        let page = try AuditPage()
        for line in lines(fixture) { #expect(page.knows(line) && line["user"] != nil, "\(line.members)") }
    }

    @Test("tells tokens that the provider has ended")
    func ended() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn("demo", "admin")
        fixture.provider.fail(.refresh, .invalidGrant)
        await #expect(throws: BFFError.signedOut) { try await browser.refreshToken("admin") }
        #expect(fixture.told == ["sign-in done", "refresh ended grant-ended"])
        #expect(try AuditPage().knows(try #require(lines(fixture).last)))
    }

    @Test("tells a step-up that is offered, missed and met, and counts offers of one session")
    func stepUp() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let route = RouteDefinition(id: "GET /api/x", clients: ["standard", "gold"], demand: .requirement("high"))
        func call() async {
            await #expect(throws: BFFError.self) {
                try await fixture.backend.token(for: route, account: "", browser.context())
            }
        }
        for _ in 0..<5 { await call() }
        let weak = try await browser.start("gold") { $0.goal = "high" }
        try await browser.next(try Browser.login(weak), "gold")
        fixture.provider.authLevel = 3
        let strong = try await browser.start("gold") { $0.goal = "high" }
        try await browser.next(try Browser.login(strong), "gold")
        #expect(
            fixture.told == ["sign-in done", "step-up offered", "step-up missed step-up-not-reached", "step-up met"])
        fixture.time.advance(by: AuditCounts.pause)
        fixture.backend.audit.writeCounts()
        let last = try #require(lines(fixture).last)
        #expect(last.description == "step-up offered" && last["count"] == "4" && last["route"] == "GET /api/x")
        let page = try AuditPage()
        for line in lines(fixture) { #expect(page.knows(line) && line["user"] != nil, "\(line.members)") }
    }

    @Test("tells that a sign-in was undone whose cookie never arrived")
    func undone() async throws {
        let fixture = try Fixture()
        let browser = fixture.browser()
        let page = try await browser.start()
        let planted = browser.cookie
        try await browser.next(try Browser.login(page))
        browser.cookie = planted
        fixture.time.advance(by: fixture.settings.supersededTicket)
        _ = try await browser.session()
        #expect(fixture.told == ["sign-in done", "sign-in undone"])
        #expect(Set(lines(fixture).map { $0["session"] }).count == 1)
    }

    @Test("is not filled by callers that are turned away: each is told once a minute, many as one")
    func flood() throws {
        let (fixture, time) = (RecordedLog(), ManualTime())
        let log = AuditLog(
            fixture.logger(), try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))]), AuditCounts(time))
        func deny(_ address: String, _ reason: String = "csrf") {
            log.denied(reason, address: address, route: "none", requestID: "r-1")
        }
        func told() -> [AuditLine] { fixture.lines.compactMap { AuditLine($0) } }
        for _ in 0..<1000 { deny("192.0.2.1") }
        deny("192.0.2.2")
        deny("192.0.2.1", "misdirected-request")
        #expect(told().count == 3 && told().allSatisfy { $0["count"] == "1" })
        time.advance(by: AuditCounts.pause)
        deny("192.0.2.1")
        #expect(told().last?["count"] == "1000")
        for number in 0..<10_000 { deny("network \(number)") }
        #expect(told().count <= AuditCounts.bound + 5)
        time.advance(by: AuditCounts.pause)
        log.writeCounts()
        let rest = try #require(told().last { $0["address"] == nil })
        #expect(Int(rest["count"] ?? "") ?? 0 > 9000 && rest["request.id"] == nil)
        let page = try AuditPage()
        for line in told() { #expect(page.knows(line)) }
        let before = told().count
        log.writeCounts(isLast: true)
        #expect(told().count == before)
    }

    @Test("names a user by a hash of issuer and subject that nobody computes without the key")
    func hashes() throws {
        let key = try ServerKey(id: "k1", key: SecureRandom.bytes(32))
        let other = try ServerKey(id: "k2", key: SecureRandom.bytes(32))
        let context = CallContext(cookie: nil, deadline: .now, requestID: "r-1", began: .now)
        func user(_ issuer: String, _ subject: String, _ keys: [ServerKey]) throws -> String? {
            let log = RecordedLog()
            let person = AuditFacts.Person(issuer: issuer, subject: subject)
            let instance = InstanceName(client: "standard", account: "alice@example.com")
            AuditLog(log.logger(), try ServerKeys(keys), AuditCounts(ManualTime())).write(
                .signIn(.done), context, AuditFacts(nil, instance, person))
            #expect(!log.lines.joined().contains("alice"))
            return try #require(log.lines.first.flatMap { AuditLine($0) })["user"]
        }
        let known = try user("https://a", "b", [key, other])
        #expect(try user("https://a", "b", [key]) == known)
        #expect(try user("https://a", "c", [key]) != known && user("https://c", "b", [key]) != known)
        #expect(try user("https://", "ab", [key]) != known, "what belongs to the issuer is told from the subject")
        let anew = try #require(try user("https://a", "b", [other, key]))
        #expect(anew.hasPrefix("k2.") && known?.hasPrefix("k1.") == true && anew.dropFirst(3) != known?.dropFirst(3))
    }

    @Test("is written whatever the level of the log, in JSON, and not where it is switched off")
    func switches() throws {
        let lines = Locked<[String]>([])
        let output = LogLines(format: .text, time: ManualTime()) { line in
            lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
        }
        let keys = try ServerKeys([ServerKey(id: "k1", key: SecureRandom.bytes(32))])
        for audits in [true, false] {
            let backend = Backend(
                settings: BFFSettings(), clients: [], store: MemoryStore(time: ManualTime()), keys: keys,
                time: ManualTime(), renderer: NoRenderer(),
                logger: Logger(label: "x", level: .critical, to: output), audits: audits)
            backend.audit.did(.started)
        }
        #expect(
            lines.withLock { $0 } == [
                "2026-01-01T00:00:00+0000 info cloakroom.audit: "
                    + #"{"time":"2026-01-01T00:00:00.000Z","level":"info","message":"admin","label":"cloakroom.audit","key":"k1","outcome":"started"}"#
                    + "\n"
            ])
    }

    private struct NoRenderer: UserRenderer {
        var format: UInt64 { 1 }
        func render(_ user: UserFacts) -> [UInt8] { [] }
    }
}
