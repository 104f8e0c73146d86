import Basics
import JSON
import StorageKit
import TestSupport
import Testing

@testable import BFF
@testable import BFFAPI
@testable import Sessions

/// A browser in which demo is signed in opens a link that signs eve in: her sender may have sent it.
@Suite("A link that signs another user in", .timeLimit(.minutes(1)))
struct ConfirmationTests {
    func ends(_ fixture: Fixture) async {
        await fixture.backend.retryRevocations(until: .now + .seconds(5))
    }

    // MARK: The question

    @Test("changes nothing before that is confirmed, and is told by its name alone", arguments: LinkEnd.allCases)
    func asks(way: LinkEnd) async throws {
        let fixture = try Fixture()
        fixture.provider.setClaim("preferred_username", "eve@example.com")
        let browser = try await fixture.signedIn()
        let cookie = browser.cookie
        let question = try await browser.asked(fixture, "eve", way)
        #expect(question.name == "eve@example.com" && question.subject == "eve")
        #expect(question.expiresIn == 120 && question.step == (way == LinkEnd.atOnce ? 1 : 2))
        #expect(browser.cookie == cookie)
        #expect(try await browser.user()["subject"] == "demo")
        #expect(try await browser.state("second") == "authenticated")
        let document = Problem(.confirmationNeeded(question)).document("r-1")
        let json = try JSONValue(parsing: document)
        #expect(json["type"] == "/problems/subject-changed" && json["status"] == 409)
        let members = try #require(json["confirm"]?.object)
        #expect(members.map(\.name) == ["flow", "step", "expiresIn", "name", "subject"])
        #expect(!String(decoding: document, as: UTF8.self).contains(FakeProvider.canary))
        #expect(fixture.told.last?.contains("asked") == true)
    }

    @Test(
        "that is confirmed signs in, with a new cookie; what was there ends", arguments: LinkEnd.allCases,
        StoreKind.allCases)
    func confirmed(way: LinkEnd, kind: StoreKind) async throws {
        let fixture = try Fixture(kind)
        let browser = try await fixture.signedIn()
        try await browser.signIn("demo", "transaction")
        let question = try await browser.asked(fixture, "eve", way)
        let cookie = browser.cookie
        let end = try await browser.confirm(question)
        #expect(end["type"] == "success" && end["user"]?["subject"] == "eve" && end["crossBrowser"] == true)
        #expect(browser.cookie != cookie)
        #expect(try await browser.user()["subject"] == "eve")
        #expect(try await browser.state("transaction") == "none")
        #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
        // What was written down for the case of no answer is forgotten, and does no harm later.
        fixture.time.advance(by: .seconds(300))
        await ends(fixture)
        #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
    }

    @Test("by another process as well, from nothing but the store")
    func elsewhere() async throws {
        let fixture = try Fixture(.file)
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let other = browser.at(try fixture.another())
        #expect(try await other.question { try await other.shown(question) } == question)
        #expect(try await other.confirm(question)["user"]?["subject"] == "eve")
        #expect(try await other.user()["subject"] == "eve")
    }

    @Test("is shown again to who asks for its flow, and to the answer that led to it")
    func again() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page("Again"))
        let page = try await browser.open(link: "id-1")
        let answer = try Browser.answer(page, ["code": "1"])
        fixture.provider.script(.next, .success("eve"))
        let question = try await browser.question { try await browser.next(answer) }
        #expect(try await browser.question { try await browser.next(answer) } == question)
        #expect(try await browser.question { try await browser.shown(question) } == question)
        let other = try Browser.answer(page, ["code": "2"])
        #expect(try await browser.question { try await browser.next(other) } == question)
        fixture.time.advance(by: .seconds(70))
        #expect(try await browser.question { try await browser.next(answer) }.expiresIn == 50)
        #expect(fixture.provider.count(.next) == 2 && fixture.provider.sessions.count == 2)
    }

    @Test("is answered by a confirmation alone, and nothing else is confirmed")
    func wrongAnswers() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        var body = Browser.confirmation(question)
        body.answers.confirms = false
        #expect(try await browser.question { try await browser.next(body) } == question)
        body.answers.values = ["user": "eve"]
        body.identity = .answers([32])
        #expect(try await browser.question { try await browser.next(body) } == question)
        let page = try await browser.start { $0.forceAuth = true }
        var yes = try Browser.answer(page, [:])
        yes.answers.confirms = true
        await #expect(throws: BFFError.malformed(field: "confirm")) { try await browser.next(yes) }
        #expect(try await browser.flow(page)["type"] == "continue")
        #expect(try await browser.user()["subject"] == "demo")
    }

    // MARK: Attacks

    @Test("confirmed twice, at once and later, by one process and two, signs in once")
    func twice() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let body = Browser.confirmation(question)
        let tabs = [browser.at(fixture.backend), browser.at(fixture.backend), browser.at(try fixture.another())]
        let answers = try await withThrowingTaskGroup(of: JSONValue.self) { group in
            for tab in tabs { group.addTask { try await tab.next(body) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0["user"]?["subject"] == "eve" })
        #expect(Set(tabs.compactMap(\.cookie)).count == 1)
        let newest = tabs[0]
        #expect(try await newest.user()["subject"] == "eve")
        #expect(try await newest.next(body)["signedIn"] == true)
        #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
        // The cookie of before gets nothing any more.
        await #expect(throws: BFFError.sessionChanged) { try await browser.next(body) }
    }

    @Test("leaves a second tab as it is, which is told neither the flow nor the name")
    func secondTab() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let tab = browser.at(fixture.backend)
        #expect(try await tab.user()["subject"] == "demo")
        let session = String(decoding: try await tab.session().serialized(), as: UTF8.self)
        #expect(!session.contains(question.flow) && !session.contains("eve"))
        let guess = SubjectQuestion(flow: FlowRecord.newID(), step: 1, expiresIn: 0, subject: "", name: "")
        await #expect(throws: BFFError.flowExpired) { try await tab.confirm(guess) }
        await #expect(throws: BFFError.flowExpired) { try await tab.confirm(question, "second") }
        let other = try await fixture.signedIn("bob")
        await #expect(throws: BFFError.flowExpired) { try await other.confirm(question) }
        #expect(try await tab.user()["subject"] == "demo")
    }

    @Test("is confirmed by no cookie that was replaced, before the new one has come and after")
    func oldCookie() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let thief = browser.at(fixture.backend)
        try await browser.signIn("demo", "transaction")
        for _ in 0..<2 {
            await #expect(throws: BFFError.sessionChanged) { try await thief.confirm(question) }
            _ = try await browser.session()
        }
        fixture.time.advance(by: .seconds(31))
        await #expect(throws: BFFError.self) { try await thief.confirm(question) }
        #expect(try await browser.user()["subject"] == "demo")
        // The newest one may.
        #expect(try await browser.confirm(question)["user"]?["subject"] == "eve")
    }

    @Test("is confirmed by no cookie that is replaced while the confirmation is under way")
    func overtaken() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let late = browser.at(fixture.backend)
        fixture.store.before("commit", of: try browser.sessionKey()) {
            _ = try? await browser.signIn("demo", "transaction")
        }
        await #expect(throws: BFFError.sessionChanged) { try await late.confirm(question) }
        #expect(try await browser.user()["subject"] == "demo")
    }

    @Test("is confirmed in time alone, also where its time ends while the confirmation is stored")
    func lateConfirmation() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let late = browser.at(fixture.backend)
        // Renewed tokens are stored first, so that the confirmation is looked at once more.
        fixture.store.before("commit", of: try browser.sessionKey()) {
            fixture.time.advance(by: .seconds(120))
            _ = try? await browser.refreshToken()
        }
        await #expect(throws: BFFError.flowExpired) { try await late.confirm(question) }
        #expect(try await browser.user()["subject"] == "demo")
        fixture.time.advance(by: .seconds(30))
        await ends(fixture)
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    /// How the browser signs out.
    enum Leaving: CaseIterable, Sendable {
        case all, account, instance, cancel

        func leave(_ browser: Browser, _ question: SubjectQuestion) async throws {
            switch self {
            case .all: try await browser.logoutAll()
            case .account: try await browser.logoutAll(account: "")
            case .instance: try await browser.logout()
            case .cancel: try await browser.cancel(["flow": .string(question.flow)])
            }
        }
    }

    @Test(
        "ends at once when its browser signs out or says no; a confirmation comes too late", arguments: Leaving.allCases
    )
    func left(leaving: Leaving) async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        try await browser.signIn("kim", "admin")
        _ = try await browser.session()
        let question = try await browser.asked(fixture)
        let tab = browser.at(fixture.backend)
        try await leaving.leave(browser, question)
        #expect(!fixture.provider.sessions.values.contains("eve") && !fixture.provider.grants.contains("eve"))
        await #expect(throws: BFFError.flowExpired) { try await tab.confirm(question) }
        await #expect(throws: BFFError.flowExpired) { try await tab.shown(question) }
        #expect(!fixture.provider.grants.contains("eve"))
        #expect(try await fixture.backend.sessions.revocations.queue.waiting().isEmpty)
    }

    @Test("is not ended by a cancellation that a confirmation overtook")
    func lateCancel() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let tab = browser.at(fixture.backend)
        fixture.store.before("commit", of: try browser.sessionKey()) { _ = try? await browser.confirm(question) }
        await #expect(throws: BFFError.sessionChanged) { try await tab.cancel(["flow": .string(question.flow)]) }
        #expect(try await browser.user()["subject"] == "eve")
        #expect(fixture.provider.grants == ["eve"])
    }

    @Test("is asked anew when somebody else is signed in by then; the former yes counts no more")
    func otherUser() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        let stale = Browser.confirmation(question)
        try await browser.signIn("bob", replace: true)
        _ = try await browser.session()
        let anew = try await browser.question { try await browser.next(stale) }
        #expect(anew.step == question.step + 1 && anew.flow == question.flow && anew.name == "eve")
        // The same click twice is no answer to the new question.
        #expect(try await browser.question { try await browser.next(stale) } == anew)
        #expect(try await browser.question { try await browser.shown(question) } == anew)
        var odd = stale
        odd.identity = .answers([32])
        #expect(try await browser.question { try await browser.next(odd) } == anew)
        #expect(try await browser.user()["subject"] == "bob")
        #expect(try await browser.confirm(anew)["user"]?["subject"] == "eve")
        #expect(try await browser.user()["subject"] == "eve")
        #expect(fixture.provider.grants == ["eve"] && Array(fixture.provider.sessions.values) == ["eve"])
    }

    @Test("is asked anew when the user changes while the confirmation is under way")
    func otherUserMeanwhile() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        let question = try await browser.asked(fixture)
        // Of an instance with tokens of its own, whose user is in the way as well.
        try await browser.logout()
        #expect(!fixture.provider.grants.contains("eve"))
        await #expect(throws: BFFError.flowExpired) { try await browser.confirm(question) }
    }

    @Test("takes no place unasked by `replace`, neither that of the link nor that of the flow that waits")
    func replace() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page(FakeProvider.mailPage))
        _ = try await browser.start {
            $0.forceAuth = true
            $0.replace = true
        }
        fixture.provider.script(.start, .success("eve"))
        let question = try await browser.question {
            try await browser.open(link: "id-1") { $0.replace = true }
        }
        #expect(try await browser.user()["subject"] == "demo")
        // The flow waited here: the success is of this browser.
        #expect(try await browser.confirm(question)["crossBrowser"] == nil)
    }

    @Test("is what is asked about alone: a sign-in of one's own is refused, or takes over by `replace`, as ever")
    func ownSignIns() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        await #expect(throws: BFFError.subjectChanged) { try await browser.signIn("bob") }
        fixture.provider.script(.start, .success("bob"))
        await #expect(throws: BFFError.subjectChanged) { try await browser.start("transaction") }
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
        try await browser.signIn("bob", replace: true)
        #expect(try await browser.user()["subject"] == "bob")
    }

    @Test("is not asked about where it is a step-up: that is by the same user, or fails")
    func stepUp() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        fixture.provider.script(.start, .page(FakeProvider.mailPage))
        _ = try await browser.start { $0.goal = "signed-in" }
        fixture.provider.script(.start, .success("eve"))
        #expect(try await browser.open(link: "id-1")["reason"] == "account-mismatch")
        #expect(fixture.provider.grants == ["demo"] && Array(fixture.provider.sessions.values) == ["demo"])
    }

    @Test("keeps what it waits with sealed: the store has none of it")
    func sealed() async throws {
        let fixture = try Fixture()
        let browser = try await fixture.signedIn()
        _ = try await browser.asked(fixture)
        var dump: [UInt8] = []
        let keys =
            [try browser.sessionKey()] + (0..<32).map { SessionKey(tag: Array("cloakroom revocations \($0)".utf8)) }
        for key in keys {
            for entry in try await fixture.store.read(key, .all).entries { dump += entry.field.value }
        }
        let text = String(decoding: dump, as: UTF8.self)
        #expect(!text.contains(FakeProvider.canary) && !text.contains("eve") && dump.count > 2000)
        #expect(!fixture.log.lines.contains { $0.contains(FakeProvider.canary) || $0.contains("f_") })
    }
}
